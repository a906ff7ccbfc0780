import type { Pace } from './benchmark.ts'
import type { Load, Round } from './load-client.ts'
import { median } from './statistics.ts'

export type Rounds = readonly Round[]

/** Some ten thousand requests, until the engine has compiled what is hot. */
const WARM_UP_MS = 5_000

/**
 * Runs loads in turn, round by round, so that whatever else the machine does meets all of them;
 * the result of each is in its place.
 */
export async function alternate(
  loads: readonly Load[],
  inFlight: number,
  { rounds, roundMs, isQuick }: Pace,
): Promise<Rounds[]> {
  const results: Round[][] = loads.map(() => [])
  for (const load of loads) await load.run({ inFlight, roundMs: isQuick ? roundMs : WARM_UP_MS })
  for (let round = 0; round < rounds; round += 1)
    for (const [place, load] of loads.entries())
      results[place]?.push(await load.run({ inFlight, roundMs }))
  for (const load of loads) load.stop()
  return results
}

type Figure = 'perSecond' | 'p50' | 'p99' | 'serverCpuMsPerRequest'

export function medianOf(rounds: Rounds | undefined, figure: Figure): number {
  return median((rounds ?? []).map((round) => round[figure]))
}
