// Budget: 90 seconds.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { conditionOf } from '@bourse/kube'
import {
  anAdvertisement,
  aRequest,
  eventually,
  quietPorts,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { makeTestCertificates } from '@bourse/testkit/certificates'
import { aNode, bourseKinds, grantAgentRights } from '@bourse/testkit/control-plane'
import {
  type AgentObjects,
  type AgentProcess,
  objectsOf,
  startAgent,
} from '@bourse/testkit/federation'
import { playBroker } from '@bourse/testkit/scripted-broker'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openCuttableLine } from '../leadership/cuttable-line.ts'

const DAY_MS = 86_400_000
const controlPlane = useControlPlane({ withKwok: true, kinds: bourseKinds })
let broker: TestBroker
let line: Awaited<ReturnType<typeof openCuttableLine>>
let rome: AgentObjects
let agent: AgentProcess
let kubeconfig = ''

beforeAll(async () => {
  broker = await startBroker()
  line = await openCuttableLine(broker.url)
  const { kubectl, adminKubeconfig } = controlPlane()
  await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-1')))
  rome = await objectsOf(adminKubeconfig)
  kubeconfig = await grantAgentRights(controlPlane())
  agent = await anAgent()
  await isWell()
  await openBusiness()
})
afterAll(async () => {
  await agent.stop()
  line.close()
  await rome.client.close()
  await broker.dispose()
})

/** rome borrows from paris and lends to berlin, for an hour each: none of it may be touched. */
describe('an agent that borrows and lends', () => {
  it('waits out a broker that answers 500, and says so', async () => {
    const certPath = await broker.certificates.forServer('strange')
    const broken = await playBroker(certPath, [{ status: 500, body: 'out of order' }])
    onTestFinished(() => broken.close())

    line.leadTo(broken.url)
    await tells('The broker answered 500: out of order')
    await rome.ask('meanwhile', { duration: '1h' })
    const waiting = await rome.until('meanwhile', 'it says why it waits', ({ message = '' }) =>
      message.includes('out of order'),
    )
    const kept = await holdings()
    line.leadTo(broker.url)

    await isWell()
    await rome.phase('meanwhile', 'Reserved')
    await rome.remove('meanwhile')
    await rome.gone('meanwhile')
    expect(kept).toEqual({ borrowed: 1, enforced: 1 })
    expect(waiting.phase).toBe('Pending')
    expect(conditionOf(waiting.conditions, 'Ready')?.reason).toBe('BrokerBusy')
  })

  it('waits out a broker that takes its requests and does not answer', async () => {
    const { pid } = broker
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))

    // A request on an open connection is not answered, a new connection not accepted.
    await tells(' in time')
    const kept = await holdings()
    process.kill(pid, 'SIGCONT')

    await isWell()
    expect(kept).toEqual({ borrowed: 1, enforced: 1 })
  })

  it('goes on after its API server was killed, and sees what has changed', async () => {
    const { apiServer, kubectl } = controlPlane()
    await apiServer.kill()
    await eventually(
      'it notices',
      async () => !(await agent.metrics()).includes('agent_watch_troubles_total{watched="pods"} 0'),
      60_000,
    )

    await apiServer.start()
    await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-2')))

    await eventually(
      'both nodes count',
      async () => (await shown('{.spec.resources.allocatable.cpu}')) === '16',
      60_000,
    )
    await isWell()
    expect(await holdings()).toEqual({ borrowed: 1, enforced: 1 })
  })

  it.each([
    { name: 'ahead', days: 1 },
    { name: 'behind', days: -1 },
  ])('ends nothing early or late with a clock that is a day $name', async ({ days }) => {
    await agent.stop()
    agent = await anAgent({ NODE_OPTIONS: `--import=${shiftedClock(days * DAY_MS)}` })
    await isWell()
    expect(daysAhead()).toBe(days)
    const berlin = await broker.aClient('berlin')
    const wanted = aRequest({ cpu: '1' }, { targetClusterID: 'rome', duration: '1h' })
    const outcome = await berlin.requestReservation(wanted)
    await enforces(2)

    await berlin.renew(outcome.kind === 'reserved' ? outcome.reservation.id : '', '3s')

    await enforces(1)
    await eventually('the broker has ended it, too', async () => (await rome.lent()).length === 1)

    expect(await holdings()).toEqual({ borrowed: 1, enforced: 1 })
    expect((await rome.request('job'))?.status?.phase).toBe('Reserved')
  })

  it('goes on with what it knew when it starts without a broker, and with a wrong clock', async () => {
    const [unused = 0] = await quietPorts(1)
    await agent.stop()
    line.leadTo(`https://127.0.0.1:${unused}`)

    agent = await anAgent({ NODE_OPTIONS: `--import=${shiftedClock(DAY_MS)}` })
    await tells('closed the connection')
    const kept = await holdings()
    line.leadTo(broker.url)

    await isWell()
    expect(kept).toEqual({ borrowed: 1, enforced: 1 })
  })

  it('says that its certificate is revoked, and goes on when it is not any more', async () => {
    await broker.certificates.revoke(['rome'], broker.certPath)

    await tells('certificate')
    const kept = await holdings()
    rmSync(join(broker.certPath, 'crl.pem'))

    await isWell()
    expect(kept).toEqual({ borrowed: 1, enforced: 1 })
  })

  it('does not speak with a broker of another authority, until it is given that one', async () => {
    const other = await makeTestCertificates()
    onTestFinished(other.dispose)

    replaceFiles(await other.forServer('broker'), broker.certPath)
    await tells('not trusted here')
    const kept = await holdings()
    replaceFiles(await other.forCluster('rome'), await broker.certificates.forCluster('rome'))

    await isWell()
    expect(kept).toEqual({ borrowed: 1, enforced: 1 })
    expect(await holdings()).toEqual({ borrowed: 1, enforced: 1 })
  })
})

async function anAgent(env: Readonly<Record<string, string>> = {}): Promise<AgentProcess> {
  const certPath = await broker.certificates.forCluster('rome')
  const flags = ['--advertisement-requeue-interval=1s']
  return startAgent({ brokerUrl: line.url, certPath, kubeconfig, flags, env })
}

async function openBusiness(): Promise<void> {
  const [paris, berlin] = [await broker.aClient('paris'), await broker.aClient('berlin')]
  await paris.publishAdvertisement(anAdvertisement('paris'))
  await berlin.requestReservation(
    aRequest({ cpu: '1' }, { targetClusterID: 'rome', duration: '1h' }),
  )
  await rome.ask('job', { duration: '1h' })
  await rome.phase('job', 'Reserved')
  await enforces(1)
}

/** By its log. */
function daysAhead(): number {
  const [first = ''] = agent.child.output().split('\n')
  return Math.round((Date.parse(JSON.parse(first).time) - Date.now()) / DAY_MS)
}

/** As Node tells the time, and so the agent; what checks certificates asks the machine. */
function shiftedClock(offsetMs: number): string {
  const script = `const now = Date.now; Date.now = () => now() + ${offsetMs};
    globalThis.Date = class extends Date {
      constructor(...given) { given.length ? super(...given) : super(Date.now()) }
    }`
  return `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`
}

function isWell(): Promise<unknown> {
  return eventually('the agent is well', async () => (await agent.readiness()).isReady, 60_000)
}

/** Readiness, metrics and the Advertisement agree on what is amiss. */
async function tells(words: string): Promise<void> {
  const says = async () => `${(await agent.readiness()).checks.broker}`.includes(words)
  await eventually(`readiness says: ${words}`, says, 60_000)
  const shows = async () => (await shown('{.status.message}')).includes(words)
  await eventually(`the Advertisement says: ${words}`, shows, 60_000)
  expect(await agent.metrics()).toContain('agent_trouble{part="broker"} 1')
}

function enforces(count: number): Promise<unknown> {
  const isSo = async () => (await holdings()).enforced === count
  return eventually(`${count} are enforced`, isSo, 60_000)
}

async function holdings() {
  const lent = await rome.lent()
  const enforced = lent.filter(({ status }) => status?.enforced === true).length
  return { borrowed: (await rome.borrowed()).length, enforced }
}

function replaceFiles(from: string, to: string): void {
  for (const file of ['ca.crt', 'tls.crt', 'tls.key'])
    copyFileSync(join(from, file), join(to, file))
}

function shown(jsonPath: string): Promise<string> {
  const get = ['get', 'advertisement', 'cluster-advertisement', '--ignore-not-found']
  return controlPlane().kubectl([...get, `--output=jsonpath=${jsonPath}`])
}
