import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Identity } from '../../bench/harness/certificates.ts'

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
  const { ask, stop } = await startWorker('./crowd-process.ts', order)
  return { report: () => ask('report'), stop }
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
  const { ask, stop } = await startWorker('./overload-process.ts', order)
  return { run: (): Promise<OverloadReport> => ask('run'), stop }
}

async function startWorker(file: string, order: unknown) {
  const child = fork(new URL(file, import.meta.url))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code}.`)
  })
  // A caller that waits for an answer is told of its end; when it is stopped, none may wait.
  ended.catch(() => {})
  child.send(order as object)
  await answerOf(child, ended)
  return {
    async ask<T>(what: string): Promise<T> {
      child.send({ kind: what })
      // What the worker sends to this question.
      return (await answerOf(child, ended)) as T
    },
    stop: () => void child.kill(),
  }
}

async function answerOf(child: ChildProcess, ended: Promise<never>): Promise<unknown> {
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}
