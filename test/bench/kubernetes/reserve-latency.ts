import { medianOf } from '../alternate.ts'
import type { Benchmark } from '../benchmark.ts'
import { startFederation } from '../federation.ts'
import { startLoad } from '../load-client.ts'
import { startApiServer } from './api-server.ts'
import { takeTurns } from './take-turns.ts'
import { windowsDrained } from './windows-drained.ts'

const CONNECTIONS = 8
const RAW_CREATES = 2.5

/** One requester, and nobody to share a write with. */
export const kubernetesReserveLatency: Benchmark = {
  name: 'kubernetes-reserve-latency',
  bar: 'p50 ≤ 2.5 × one raw create',

  async run(stage) {
    const server = await startApiServer(stage)
    const federation = await startFederation(stage, 'kubernetes-reserve-latency', server)
    const { broker, port, requesters } = federation
    await windowsDrained(broker)
    const identities = requesters.slice(0, CONNECTIONS)
    const floor = await server.rawCreates(CONNECTIONS)
    const order = { port, identities, workload: { kind: 'reserve' } } as const
    const measured = await startLoad(order, broker.pid)
    const turns = { floor, measured, broker, inFlight: 1 }
    const { created, answered, drainedMs } = await takeTurns(turns, stage.pace)
    await federation.dispose()
    await server.stop()

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
