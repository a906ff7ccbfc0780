import type { Benchmark } from '../harness/benchmark.ts'
import { startLoad } from '../load/load-client.ts'
import { alternate, medianOf } from './alternate.ts'
import { startFederation, startFloorFor } from './federation.ts'

const CONNECTIONS = 64
const FLOOR_SHARE = 0.5
const PER_SECOND_MIN = 3_000

/** How many requesters can be served at once, each answer durable before it is given. */
export const reserveRate: Benchmark = {
  name: 'reserve-rate',
  bar: '≥ 0.5 × the echo floor, and ≥ 3,000/s on an idle machine',

  async run(stage) {
    const federation = await startFederation(stage, 'reserve-rate')
    const floor = await startFloorFor(federation, stage)
    const order = { identities: federation.requesters, workload: { kind: 'reserve' } } as const
    const loads = [
      await startLoad({ ...order, port: floor.port }, floor.pid),
      await startLoad({ ...order, port: federation.port }, federation.broker.pid),
    ]
    const [echoed, reserved] = await alternate(loads, CONNECTIONS, stage.pace)
    await federation.dispose()
    floor.stop()

    const measured = medianOf(reserved, 'perSecond')
    const echo = medianOf(echoed, 'perSecond')
    const what = 'durable reservations, 64 connections, 1,000 clusters'
    return {
      lines: [
        {
          what,
          measured,
          unit: '/s',
          floor: echo,
          bar: { kind: 'atLeast', limit: FLOOR_SHARE * echo, said: '≥ 0.5 × echo' },
        },
        {
          what: `${what}, absolute`,
          measured,
          unit: '/s',
          bar: {
            kind: 'atLeast',
            limit: PER_SECOND_MIN,
            said: '≥ 3,000/s, idle machine',
            needsIdleMachine: true,
          },
        },
        {
          what: `${what}, p99`,
          measured: medianOf(reserved, 'p99'),
          unit: 'ms',
          floor: medianOf(echoed, 'p99'),
        },
      ],
      details: { echoed, reserved },
    }
  },
}
