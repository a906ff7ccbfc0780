import type { Pace } from '../harness/benchmark.ts'
import { median } from '../harness/statistics.ts'
import type { Load, Round } from '../load/load-client.ts'

export type Rounds = readonly Round[]

/** Tens of thousands of requests, until the engine has compiled what is hot. */
const WARM_UP_MS = 5_000
const WARM_UP_IN_FLIGHT = 64

/**
 * Runs loads in turn, round by round, so that other work on the machine disturbs all of them alike.
 * Results are in the order of the loads. `afterRound` measures what else is compared with them.
 */
export async function alternate(
  loads: readonly Load[],
  inFlight: number,
  { rounds, roundMs, isQuick }: Pace,
  afterRound = () => {},
): Promise<Rounds[]> {
  const results: Round[][] = loads.map(() => [])
  const warmUp = { inFlight: WARM_UP_IN_FLIGHT, roundMs: isQuick ? roundMs : WARM_UP_MS }
  for (const load of loads) await load.run(warmUp)
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, load] of loads.entries())
      results[place]?.push(await load.run({ inFlight, roundMs }))
    afterRound()
  }
  for (const load of loads) load.stop()
  return results
}

type Figure = 'perSecond' | 'p50' | 'p99' | 'serverCpuMsPerRequest'

export function medianOf(rounds: Rounds | undefined, figure: Figure): number {
  return median((rounds ?? []).map((round) => round[figure]))
}
