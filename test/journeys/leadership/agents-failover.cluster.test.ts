// Budget: 90 seconds.
import { eventually, quietPorts, type TestBroker } from '@bourse/testkit'
import { aNode, bourseKinds } from '@bourse/testkit/control-plane'
import {
  type AgentObjects,
  type Instruction,
  objectsOf,
  startAgent,
} from '@bourse/testkit/federation'
import { leads, type Several } from '@bourse/testkit/leadership'
import { startPostgres } from '@bourse/testkit/postgres'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aPlaceOn } from './a-place-on.ts'
import { startBrokersForTest } from './brokers-for-test.ts'

/** rome asks by gRPC, paris lends by HTTPS. */
const romePlane = useControlPlane({ withKwok: true, kinds: bourseKinds })
const parisPlane = useControlPlane({ withKwok: true, kinds: bourseKinds })
let rome: AgentObjects
let paris: AgentObjects

beforeAll(async () => {
  for (const { kubectl } of [romePlane(), parisPlane()])
    await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-1')))
  rome = await objectsOf(romePlane().adminKubeconfig)
  paris = await objectsOf(parisPlane().adminKubeconfig)
})
afterAll(() => Promise.all([rome.client.close(), paris.client.close()]))

const STORES = {
  kubernetes: async () => ['--store=kubernetes', '--store-slots=256'],
  async postgres() {
    const database = await startPostgres()
    onTestFinished(database.stop)
    return ['--store=postgres', `--postgres-url=${database.url}`]
  },
}

describe.each(['kubernetes', 'postgres'] as const)('agents of brokers on the %s store', (store) => {
  it('advertise at once to the next leader, and keep what they borrow and lend', async () => {
    const grpcPorts = await quietPorts(2)
    const several = await startBrokersForTest(
      2,
      [
        ...(await STORES[store]()),
        ...(await aPlaceOn(parisPlane())),
        '--broker-interface=http,grpc',
      ],
      (at) => [`--grpc-port=${grpcPorts[at]}`],
    )
    const first = await several.leader()
    await admit('rome', several, grpcPorts.map((port) => `https://127.0.0.1:${port}`).join())
    await admit('paris', several)
    await eventually('both are known', async () => (await heardOf(first)).length === 2, 60_000)
    await rome.ask('job', { duration: '1h' })
    const { reservationName = '' } = await rome.phase('job', 'Reserved')
    await paris.lends(`${reservationName}-provider`, ({ status }) => status?.enforced === true)
    const isDelivered = async () => (await rome.borrowed())[0]?.status?.delivered
    await eventually('rome has written that it has it', isDelivered, 60_000)
    const before = await business()

    await first.kill('SIGKILL')
    const killedAt = Date.now()
    const next = await leaderAfter(first, several)
    await eventually('both have advertised', () => isHeardSince(next, killedAt), 60_000)

    // Not even written: the same versions of the same objects.
    expect(await business()).toEqual(before)
    expect((await rome.request('job'))?.status).toMatchObject({
      phase: 'Reserved',
      reservationName,
    })
    await rome.ask('more', { duration: '1h' })
    const more = await rome.phase('more', 'Reserved')
    await paris.lends(`${more.reservationName}-provider`, ({ status }) => status?.enforced === true)
    for (const name of ['job', 'more']) await rome.remove(name)
    await eventually('all is given back', async () => (await business()).length === 0, 60_000)
  })
})

/** Signs of life are an hour apart: who is heard of earlier had another reason to speak. */
async function admit(id: 'rome' | 'paris', several: Several, grpcUrls?: string): Promise<void> {
  const agent = await startAgent({
    brokerUrl: grpcUrls ?? several.brokers.map(({ url }) => url).join(),
    certPath: await several.certificates.forCluster(id),
    kubeconfig: (id === 'rome' ? romePlane() : parisPlane()).adminKubeconfig,
    flags: [
      '--advertisement-requeue-interval=1h',
      ...(grpcUrls === undefined ? [] : ['--broker-transport=grpc']),
    ],
  })
  onTestFinished(agent.stop)
}

function leaderAfter(first: TestBroker, { brokers }: Several): Promise<TestBroker> {
  const [other] = brokers.filter((broker) => broker !== first)
  return eventually(
    'the other broker leads',
    async () => (other && (await leads(other)) ? other : undefined),
    60_000,
  )
}

async function heardOf(broker: TestBroker) {
  return (await (await broker.anOperator()).listClusters()).items
}

async function isHeardSince(broker: TestBroker, moment: number): Promise<boolean> {
  const clusters = await heardOf(broker)
  return clusters.every(({ status }) => Date.parse(status.lastSeenAt) > moment)
}

/** Every instruction on either side, by the version that it has. */
async function business(): Promise<string[]> {
  const all: Instruction[] = [...(await rome.borrowed()), ...(await paris.lent())]
  return all.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
}
