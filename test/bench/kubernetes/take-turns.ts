import type { TestBroker } from '@bourse/testkit'
import type { Pace } from '../harness/benchmark.ts'
import type { Load, Round } from '../load/load-client.ts'
import type { Rounds } from '../rest/alternate.ts'
import { windowsDrained } from './windows-drained.ts'

type Turns = Readonly<{ floor: Load; measured: Load; broker: TestBroker; inFlight: number }>

/** Each leaves thousands of objects to be shown, which takes longer than the round. */
const ROUNDS_MAX = 3
const WARM_UP_MS = 2_000

/**
 * Raw creates and a broker in turns. The floor's turn comes when the windows have nothing left to
 * write: what they cost belongs to the broker.
 */
export async function takeTurns(turns: Turns, pace: Pace) {
  const { floor, measured, broker, inFlight } = turns
  const created: Round[] = []
  const answered: Round[] = []
  const drainedMs: number[] = []
  for (const load of [measured, floor]) {
    await load.run({ inFlight, roundMs: WARM_UP_MS })
    await windowsDrained(broker)
  }
  for (let round = 0; round < Math.min(pace.rounds, ROUNDS_MAX); round++) {
    created.push(await floor.run({ inFlight, roundMs: pace.roundMs }))
    answered.push(await measured.run({ inFlight, roundMs: pace.roundMs }))
    drainedMs.push(await windowsDrained(broker))
  }
  floor.stop()
  measured.stop()
  const rounds: { created: Rounds; answered: Rounds } = { created, answered }
  return { ...rounds, drainedMs }
}
