/**
 * Peering makes reserved capacity usable: a virtual node here, pods there.
 *
 * - `port/peering.ts` is what every way of peering does: borrow, give back, lend, take back.
 * - `create-peering.ts` chooses one by the flags: none, `liqoctl/` or `native/`.
 * - In `native/`, `handshake/` peers two clusters in steps: `session/` carries what they say,
 *   `seal/` signs it, `tunnel/` connects their pods.
 * - `slices/` borrows a node for a reservation, `offloading/` its namespaces; `granting/` decides
 *   what a provider gives. `liqo/` has Liqo's objects, `admission/` checks the chart's policies.
 *
 * Start with `port/peering.ts`, then `native/create-native-peering.ts`.
 */
export { createNoPeering, createPeering } from './create-peering.ts'
export { liqoIdHash, sliceName, sliceUserOf } from './native/liqo/resource-slice.ts'
