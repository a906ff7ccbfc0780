import { setTimeout as sleep } from 'node:timers/promises'
import { parseDuration } from '@bourse/domain/quantity'
import { rssMbOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Pace } from '../harness/benchmark.ts'
import { median } from '../harness/statistics.ts'
import { type Load, type Round, startLoad } from '../load/load-client.ts'
import { startFederation } from './federation.ts'

const CONNECTIONS = 64
const LIVE = 10_000
const RSS_MB_MAX = 180
const SAMPLE_EVERY_MS = 1_000
/** After the load: a moment for the collector, as a broker has between two bursts. */
const REST_MS = 10_000
/** Advertisements are not repeated here, and a soak may last longer than --stale-after. */
const FLAGS = ['--stale-after=24h']
/** From its second fifth to its last, memory may wander by a tenth; a leak does not stop there. */
const GROWTH_MAX = 1.1

/** Reserves and releases as fast as it goes, with ten thousand live all the while. */
export const memory: Benchmark = {
  name: 'memory',
  bar: '≤ 180 MB at 1,000 clusters and 10,000 live reservations after load; flat under load',

  async run(stage) {
    const federation = await startFederation(stage, 'memory', { flags: FLAGS })
    const { pid } = federation.broker
    const order = {
      port: federation.port,
      identities: federation.requesters,
      workload: { kind: 'churn', livePerConnection: Math.floor(LIVE / CONNECTIONS) },
    } as const
    const load = await startLoad(order, pid)
    const { round, rssMb } = await soak(load, pid, soakMs(stage.pace))
    load.stop()
    await sleep(REST_MS)
    const restedMb = rssMbOf(pid)
    await federation.dispose()

    const early = median(fifth(rssMb, 1))
    const late = median(fifth(rssMb, 4))
    return {
      lines: [
        {
          what: 'RSS at 1,000 clusters, 10,000 live reservations, after load',
          measured: restedMb,
          unit: 'MB',
          bar: { kind: 'atMost', limit: RSS_MB_MAX, said: '≤ 180 MB' },
        },
        {
          what: `RSS over ${rssMb.length} s of load, last fifth against second`,
          measured: late / early,
          unit: '×',
          bar: { kind: 'atMost', limit: GROWTH_MAX, said: `flat: ≤ ${GROWTH_MAX} ×` },
        },
        { what: 'RSS under load, last fifth', measured: late, unit: 'MB' },
        { what: 'reserved and released under that load', measured: round.perSecond, unit: '/s' },
      ],
      details: { round, rssMb },
    }
  },
}

async function soak(load: Load, pid: number, roundMs: number) {
  const rssMb: number[] = []
  const sampling = setInterval(() => rssMb.push(rssMbOf(pid)), SAMPLE_EVERY_MS)
  const round: Round = await load.run({ inFlight: CONNECTIONS, roundMs })
  clearInterval(sampling)
  return { round, rssMb }
}

function soakMs({ isQuick }: Pace): number {
  const written = process.env.BENCH_SOAK ?? (isQuick ? '10s' : '60s')
  const parsed = parseDuration(written)
  if (parsed.kind === 'bad') throw new Error(`BENCH_SOAK=${written}: ${parsed.reason}`)
  return parsed.durationMs
}

function fifth(samples: readonly number[], nth: number): readonly number[] {
  const size = samples.length / 5
  return samples.slice(Math.floor(nth * size), Math.ceil((nth + 1) * size))
}
