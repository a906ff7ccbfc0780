/**
 * The Kubernetes kinds: a file a kind, with spec, status, rules and columns.
 *
 * - `fields.ts`, `amounts.ts`, `conditions.ts`: fields that several kinds have. `cel.ts`: rules.
 * - `kind.ts`: `defineKind`. `definition.ts`, `structural.ts`: the CRD of a kind.
 * - `names.ts`: groups, finalizers and annotations, without zod.
 *
 * Start with `reservation.ts`. After a change run `make manifests`, which writes config/crd/bases.
 */
import { advertisementKind } from './advertisement.ts'
import { clusterAdvertisementKind } from './cluster-advertisement.ts'
import { providerInstructionKind, reservationInstructionKind } from './instructions.ts'
import { historyChunkKind, journalSlotKind, snapshotChunkKind } from './journal.ts'
import { reservationKind } from './reservation.ts'
import { resourceRequestKind } from './resource-request.ts'

export * from './advertisement.ts'
export * from './cluster-advertisement.ts'
export type { Condition } from './conditions.ts'
export { type CustomResourceDefinition, definitionOf } from './definition.ts'
export * from './instructions.ts'
export * from './journal.ts'
export type { Column, KindDefinition } from './kind.ts'
export * from './names.ts'
export type { Offload } from './offload.ts'
export * from './reservation.ts'
export * from './resource-request.ts'

/** What is installed where the broker runs. */
export const brokerKinds = [
  clusterAdvertisementKind,
  reservationKind,
  journalSlotKind,
  snapshotChunkKind,
  historyChunkKind,
] as const

/** What is installed where an agent runs. */
export const agentKinds = [
  advertisementKind,
  resourceRequestKind,
  reservationInstructionKind,
  providerInstructionKind,
] as const
