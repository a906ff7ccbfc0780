import type { Benchmark, Line } from '../harness/benchmark.ts'
import { startLoad } from '../load/load-client.ts'
import { alternate, medianOf } from './alternate.ts'
import { startFederation, startFloorFor } from './federation.ts'

const IN_FLIGHT = 64
const FLOOR_SHARE = 0.5

/** A thousand agents on a connection each, 64 of them talking at any moment. */
export const advertiseRate: Benchmark = {
  name: 'advertise-rate',
  bar: '≥ 0.5 × the echo floor; an unchanged heartbeat cheaper than a changed one',

  async run(stage) {
    const federation = await startFederation(stage, 'advertise-rate')
    const floor = await startFloorFor(federation, stage)
    const identities = federation.providers
    const changing = { kind: 'advertise', isChanging: true } as const
    const steady = { kind: 'advertise', isChanging: false } as const
    const { port } = federation
    const { pid } = federation.broker
    const loads = [
      await startLoad({ identities, workload: changing, port: floor.port }, floor.pid),
      await startLoad({ identities, workload: changing, port }, pid),
      await startLoad({ identities, workload: steady, port }, pid),
    ]
    const [echoed, changed, unchanged] = await alternate(loads, IN_FLIGHT, stage.pace)
    await federation.dispose()
    floor.stop()

    const echo = medianOf(echoed, 'perSecond')
    const bar = { kind: 'atLeast', limit: FLOOR_SHARE * echo, said: '≥ 0.5 × echo' } as const
    const cpu = {
      unchanged: medianOf(unchanged, 'serverCpuMsPerRequest'),
      changed: medianOf(changed, 'serverCpuMsPerRequest'),
    }
    const rate = (what: string, measured: number): Line => {
      return { what, measured, unit: '/s', floor: echo, bar }
    }
    return {
      lines: [
        rate('changed advertisements, 1,000 clusters', medianOf(changed, 'perSecond')),
        rate('unchanged advertisements, 1,000 clusters', medianOf(unchanged, 'perSecond')),
        {
          what: 'processor time, unchanged against changed',
          measured: cpu.unchanged / cpu.changed,
          unit: '×',
          bar: { kind: 'atMost', limit: 1, said: 'cheaper: ≤ 1 ×' },
        },
      ],
      details: { echoed, changed, unchanged, cpu },
    }
  },
}
