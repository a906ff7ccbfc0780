import { join } from 'node:path'
import type { TestBroker } from '@bourse/testkit'
import type { Stage } from '../harness/benchmark.ts'
import { end, portOf, startMeasured } from '../harness/broker-process.ts'
import type { Identity } from '../harness/certificates.ts'
import { inTurn } from '../harness/in-turn.ts'
import { ask, openConnection } from '../load/raw-connection.ts'
import { advertisementBody, requestBytes, reservationBody } from '../load/requests.ts'
import { type Floor, startFloor } from './floor.ts'

export type Federation = Readonly<{
  broker: TestBroker
  port: number
  providers: readonly Identity[]
  requesters: readonly Identity[]
  dispose(): Promise<void>
}>

/** The size that the bars are for. */
const PROVIDERS = 1_000
const REQUESTERS = 64

type Options = Readonly<{ flags?: readonly string[]; clusters?: number }>

/** A broker with its defaults, and a thousand clusters that have advertised. */
export async function startFederation(
  stage: Stage,
  name: string,
  { flags, clusters = PROVIDERS }: Options = {},
): Promise<Federation> {
  const providers = await stage.certificates.clusters('provider', clusters)
  const requesters = await stage.certificates.clusters('requester', REQUESTERS)
  const broker = await startMeasured(stage, { dataDir: join(stage.workDir, name), flags })
  const port = portOf(broker)
  await inTurn(providers, async (provider, number) => {
    const body = advertisementBody(provider.clusterId, number)
    await post(port, { identity: provider, path: '/advertisements', body })
  })
  return { broker, port, providers, requesters, dispose: () => end(broker) }
}

/** The echo server, answering as many bytes as this broker does. */
export async function startFloorFor(federation: Federation, stage: Stage): Promise<Floor> {
  const [provider] = federation.providers
  const [requester] = federation.requesters
  if (!provider || !requester) throw new Error('A federation has providers and requesters.')
  const advertised = await post(federation.port, {
    identity: provider,
    path: '/advertisements',
    body: advertisementBody(provider.clusterId, 0),
  })
  const reserved = await post(federation.port, {
    identity: requester,
    path: '/reservations',
    body: reservationBody(`probe-${Date.now()}`),
  })
  const replyBytes = { reservation: reserved.length, advertisement: advertised.length }
  return startFloor({ certificates: stage.certificates.server, replyBytes })
}

type Post = Readonly<{ identity: Identity; path: string; body: unknown }>

async function post(port: number, { identity, path, body }: Post): Promise<Buffer> {
  const connection = await openConnection({ port, directory: identity.directory })
  const answer = await ask(connection, requestBytes('POST', path, body))
  connection.close()
  if (answer.status < 200 || answer.status > 299)
    throw new Error(`POST ${path} of ${identity.clusterId}: ${answer.status} ${answer.body}`)
  return answer.body
}
