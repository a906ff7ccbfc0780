import type { Stage } from '../harness/benchmark.ts'
import { startLoad } from '../load/load-client.ts'
import { startFederation } from '../rest/federation.ts'
import { startApiServer } from './api-server.ts'
import { takeTurns } from './take-turns.ts'
import { windowsDrained } from './windows-drained.ts'

type Reserving = Readonly<{ name: string; connections: number; inFlight: number }>

/** Reservations on the Kubernetes journal with 1,000 clusters, in turns with raw creates. */
export async function besideRawCreates(stage: Stage, { name, connections, inFlight }: Reserving) {
  const server = await startApiServer(stage)
  const federation = await startFederation(stage, name, server)
  const { broker, port, requesters } = federation
  await windowsDrained(broker)
  const identities = requesters.slice(0, connections)
  const floor = await server.rawCreates(connections)
  const order = { port, identities, workload: { kind: 'reserve' } } as const
  const measured = await startLoad(order, broker.pid)
  const rounds = await takeTurns({ floor, measured, broker, inFlight }, stage.pace)
  await federation.dispose()
  await server.stop()
  return rounds
}
