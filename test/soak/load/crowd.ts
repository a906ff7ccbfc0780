import type { Identity } from '../../bench/harness/certificates.ts'
import { startWorker } from '../../bench/harness/worker.ts'

export type CrowdOrder = Readonly<{
  port: number
  /** A connection each, which repeats its advertisement. */
  clusters: readonly Identity[]
  requesters: readonly Identity[]
  heartbeatMs: number
  /** Reservations; as many are released again. */
  reservationsPerSecond: number
}>

/** What was answered since the last report. */
export type Spell = Readonly<{
  seconds: number
  reservations: number
  heartbeats: number
  /** Of reservations, from when they were due. */
  p50: number
  p99: number
  max: number
  /** Every answer by its status; 0 is a connection that ended. */
  statuses: Readonly<Record<number, number>>
}>

export type Crowd = { report(): Promise<Spell>; stop(): void }

/** Clusters and requesters in a process of their own, all connected and at work. */
export async function startCrowd(order: CrowdOrder): Promise<Crowd> {
  const { ask, stop } = await startWorker(new URL('./crowd-process.ts', import.meta.url), order)
  return { report: () => ask({ kind: 'report' }), stop }
}

export type OverloadOrder = Readonly<{
  port: number
  identities: readonly Identity[]
  /** Requests under way on each connection. Another one follows each answer, also a refusal. */
  depth: number
  burstMs: number
  /** Until then it goes on, if nothing was refused yet. */
  burstMaxMs: number
}>

export type OverloadReport = Readonly<{
  seconds: number
  statuses: Readonly<Record<number, number>>
}>

/** Connected and waiting; `run` lets it loose. */
export async function startOverload(order: OverloadOrder) {
  const { ask, stop } = await startWorker(new URL('./overload-process.ts', import.meta.url), order)
  return { run: () => ask<OverloadReport>({ kind: 'run' }), stop }
}
