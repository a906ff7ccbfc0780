import type { Benchmark } from '../harness/benchmark.ts'
import { medianOf } from '../rest/alternate.ts'
import { besideRawCreates } from './beside-raw-creates.ts'

const CONNECTIONS = 32
const RAW_SHARE = 1.5
const DRAINED_S_MAX = 60

/** A ledger on the API server: many answers share one write, so that it outruns raw creates. */
export const kubernetesReserveRate: Benchmark = {
  name: 'kubernetes-reserve-rate',
  bar: '≥ 1.5 × raw creates of a small object; mirrors written within 60 s after',

  async run(stage) {
    const load = {
      name: 'kubernetes-reserve-rate',
      connections: CONNECTIONS,
      inFlight: CONNECTIONS,
    }
    const { created, answered, drainedMs } = await besideRawCreates(stage, load)

    const raw = medianOf(created, 'perSecond')
    const what = 'reservations on the Kubernetes journal, 32 connections, 1,000 clusters'
    return {
      lines: [
        {
          what,
          measured: medianOf(answered, 'perSecond'),
          unit: '/s',
          floor: raw,
          bar: { kind: 'atLeast', limit: RAW_SHARE * raw, said: '≥ 1.5 × raw creates' },
        },
        {
          what: `${what}, p99`,
          measured: medianOf(answered, 'p99'),
          unit: 'ms',
          floor: medianOf(created, 'p99'),
        },
        {
          what: `mirrors of ${answered.at(-1)?.count ?? 0} reservations written, after the last`,
          measured: Math.max(...drainedMs) / 1_000,
          unit: 's',
          bar: { kind: 'atMost', limit: DRAINED_S_MAX, said: '≤ 60 s' },
        },
      ],
      details: { created, answered, drainedMs },
    }
  },
}
