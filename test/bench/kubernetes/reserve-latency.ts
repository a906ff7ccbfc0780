import type { Benchmark } from '../harness/benchmark.ts'
import { medianOf } from '../rest/alternate.ts'
import { besideRawCreates } from './beside-raw-creates.ts'

const CONNECTIONS = 8
const RAW_CREATES = 2.5

/** One requester, so that no write is shared. */
export const kubernetesReserveLatency: Benchmark = {
  name: 'kubernetes-reserve-latency',
  bar: 'p50 ≤ 2.5 × one raw create',

  async run(stage) {
    const load = { name: 'kubernetes-reserve-latency', connections: CONNECTIONS, inFlight: 1 }
    const { created, answered, drainedMs } = await besideRawCreates(stage, load)

    const raw = medianOf(created, 'p50')
    const what = 'sequential reserve on the Kubernetes journal, 1,000 clusters'
    return {
      lines: [
        {
          what: `${what}, p50`,
          measured: medianOf(answered, 'p50'),
          unit: 'ms',
          floor: raw,
          bar: { kind: 'atMost', limit: RAW_CREATES * raw, said: '≤ 2.5 × one raw create' },
        },
        {
          what: `${what}, p99`,
          measured: medianOf(answered, 'p99'),
          unit: 'ms',
          floor: medianOf(created, 'p99'),
        },
      ],
      details: { created, answered, drainedMs },
    }
  },
}
