import { cpuMsOf } from '@bourse/testkit/process-usage'
import type { Identity } from '../harness/certificates.ts'
import { startWorker } from '../harness/worker.ts'
import type { Workload } from './workloads.ts'

export type LoadOrder = Readonly<{
  port: number
  /** A connection each. */
  identities: readonly Identity[]
  workload: Workload
}>

export type LoadReport = Readonly<{
  count: number
  perSecond: number
  p50: number
  p99: number
  max: number
  statuses: Readonly<Record<number, number>>
}>

export type Round = LoadReport & Readonly<{ serverCpuMsPerRequest: number }>

export type Load = {
  /** One round; fails when an answer is not a success, as the figure would mean nothing. */
  run(round: Readonly<{ inFlight: number; roundMs: number }>): Promise<Round>
  stop(): void
}

/** A load of its own process on one server, its connections open and ready. */
export async function startLoad(order: LoadOrder, serverPid: number): Promise<Load> {
  const worker = await startWorker(new URL('./load-process.ts', import.meta.url), order)
  return {
    async run(round) {
      const cpuBeforeMs = cpuMsOf(serverPid)
      const report = await worker.ask<LoadReport>(round)
      const failed = Object.entries(report.statuses).filter(([status]) => !/^2/.test(status))
      if (failed.length > 0)
        throw new Error(`${order.workload.kind} was answered ${JSON.stringify(report.statuses)}.`)
      const serverCpuMsPerRequest = (cpuMsOf(serverPid) - cpuBeforeMs) / report.count
      return { ...report, serverCpuMsPerRequest }
    },
    stop: worker.stop,
  }
}
