/**
 * The agent of a cluster: advertises its capacity, and turns reservations into usable nodes.
 *
 * - `main.ts` starts it, `machine.ts` connects all parts, `config/` has the flags.
 * - `capacity/` measures the cluster, `advertisement/` publishes it with its prices.
 * - `borrowing/` serves ResourceRequests, `lending/` holds what others reserved here;
 *   both keep their `instructions/`.
 * - `peering/` connects two clusters: with Liqo through the broker (`native/`), or by liqoctl.
 * - `broker/`, `kubernetes/` and `runtime/` are what the others use.
 *
 * Start with `machine.ts`; docs/walks.md follows a request through the code.
 */
export type { AgentConfig } from './config/index.ts'
export { createMachine, type Machine } from './machine.ts'
export { type RunningAgent, runAgent } from './main.ts'
export { sliceName, sliceUserOf } from './peering/index.ts'
export { createMeters } from './runtime/meters.ts'
export { createMetrics } from './runtime/metrics.ts'
