import type { Benchmark } from '../harness/benchmark.ts'
import { measureFsync } from '../harness/machine.ts'
import { median } from '../harness/statistics.ts'
import { startLoad } from '../load/load-client.ts'
import { alternate, medianOf } from './alternate.ts'
import { startFederation, startFloorFor } from './federation.ts'

const CONNECTIONS = 8
const P50_FLOORS = 3
const P99_FLOORS = 10

/** How long a single requester waits: no other request shares its commit. */
export const reserveLatency: Benchmark = {
  name: 'reserve-latency',
  bar: 'p50 ≤ 3 × echo p50 + one fsync; p99 ≤ 10 × echo p99',

  async run(stage) {
    const federation = await startFederation(stage, 'reserve-latency')
    const floor = await startFloorFor(federation, stage)
    // They take turns, one request at a time; at once only while warming up.
    const identities = federation.requesters.slice(0, CONNECTIONS)
    const order = { identities, workload: { kind: 'reserve' } } as const
    const loads = [
      await startLoad({ ...order, port: floor.port }, floor.pid),
      await startLoad({ ...order, port: federation.port }, federation.broker.pid),
    ]
    const fsyncs: number[] = []
    const [echoed, reserved] = await alternate(loads, 1, stage.pace, () =>
      fsyncs.push(measureFsync(stage.workDir)),
    )
    await federation.dispose()
    floor.stop()

    const fsyncMs = median(fsyncs)
    const echo = { p50: medianOf(echoed, 'p50'), p99: medianOf(echoed, 'p99') }
    const limits = { p50: P50_FLOORS * echo.p50 + fsyncMs, p99: P99_FLOORS * echo.p99 }
    return {
      lines: [
        {
          what: 'sequential reserve, 1,000 clusters, p50',
          measured: medianOf(reserved, 'p50'),
          unit: 'ms',
          floor: echo.p50,
          bar: { kind: 'atMost', limit: limits.p50, said: '≤ 3 × echo + one fsync' },
        },
        {
          what: 'sequential reserve, 1,000 clusters, p99',
          measured: medianOf(reserved, 'p99'),
          unit: 'ms',
          floor: echo.p99,
          bar: { kind: 'atMost', limit: limits.p99, said: '≤ 10 × echo' },
        },
      ],
      details: { echoed, reserved, fsyncs, limits },
    }
  },
}
