import type { TestBroker } from '@bourse/testkit'
import type { Pace, Stage } from '../harness/benchmark.ts'
import { type Load, type Round, startLoad } from '../load/load-client.ts'
import type { Rounds } from '../rest/alternate.ts'
import { startFederation } from '../rest/federation.ts'
import { startApiServer } from './api-server.ts'
import { mirrorsWritten } from './mirrors-written.ts'

type Reserving = Readonly<{ name: string; connections: number; inFlight: number }>

/** Reservations on the Kubernetes journal with 1,000 clusters, in turns with raw creates. */
export async function besideRawCreates(stage: Stage, { name, connections, inFlight }: Reserving) {
  const server = await startApiServer(stage)
  const federation = await startFederation(stage, name, server)
  const { broker, port, requesters } = federation
  await mirrorsWritten(broker)
  const identities = requesters.slice(0, connections)
  const floor = await server.rawCreates(connections)
  const order = { port, identities, workload: { kind: 'reserve' } } as const
  const measured = await startLoad(order, broker.pid)
  const rounds = await takeTurns({ floor, measured, broker, inFlight }, stage.pace)
  await federation.dispose()
  await server.stop()
  return rounds
}

type Turns = Readonly<{ floor: Load; measured: Load; broker: TestBroker; inFlight: number }>

/** Each round leaves thousands of mirrors to write, which takes longer than the round. */
const ROUNDS_MAX = 3
const WARM_UP_MS = 2_000

/** Raw creates wait until the broker's mirrors are written: their cost belongs to the broker. */
async function takeTurns(turns: Turns, pace: Pace) {
  const { floor, measured, broker, inFlight } = turns
  const created: Round[] = []
  const answered: Round[] = []
  const drainedMs: number[] = []
  for (const load of [measured, floor]) {
    await load.run({ inFlight, roundMs: WARM_UP_MS })
    await mirrorsWritten(broker)
  }
  for (let round = 0; round < Math.min(pace.rounds, ROUNDS_MAX); round++) {
    created.push(await floor.run({ inFlight, roundMs: pace.roundMs }))
    answered.push(await measured.run({ inFlight, roundMs: pace.roundMs }))
    drainedMs.push(await mirrorsWritten(broker))
  }
  floor.stop()
  measured.stop()
  const rounds: { created: Rounds; answered: Rounds } = { created, answered }
  return { ...rounds, drainedMs }
}
