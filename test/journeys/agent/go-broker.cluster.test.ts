// Budget: 60 seconds.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHttpBroker } from '@bourse/client'
import { eventually } from '@bourse/testkit'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { aNode, bourseKinds } from '@bourse/testkit/control-plane'
import { type AgentObjects, objectsOf, startAgent } from '@bourse/testkit/federation'
import { playBroker, type ScriptedBroker } from '@bourse/testkit/scripted-broker'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type AgentLife, liveAgent } from '../../../apps/agent/fixtures/borrowing/agent-life.ts'
import { type Instruction, sayAsGo } from './say-as-go.ts'

/** Often enough that many of them fit in before an end that a test waits for. */
const pollMs = 200

/** No ledger, no request ids, no long polls, no release: its REST dialect and nothing more. */
describe('our agent at a broker of the Go original', () => {
  const controlPlane = useControlPlane({ kinds: bourseKinds })
  let certificates: TestCertificates
  let broker: ScriptedBroker
  let rome: AgentObjects
  let agent: AgentLife
  let instructions: readonly Instruction[] = []

  beforeAll(async () => {
    rome = await objectsOf(controlPlane().adminKubeconfig)
    certificates = await makeTestCertificates()
    broker = await playBroker(await certificates.forServer(), [answer])
  })
  beforeEach(async () => {
    const certPath = await certificates.forCluster('rome')
    const client = createHttpBroker({ url: broker.url, certPath })
    agent = await liveAgent({ client: rome.client, broker: client, pollMs })
    return async () => {
      await agent.stop()
      await client.close()
    }
  })
  afterAll(async () => {
    await rome.client.close()
    await broker.close()
    certificates.dispose()
  })

  function answer(_: IncomingMessage, response: ServerResponse) {
    const heard = broker.heard.at(-1)
    if (!heard) throw new Error('Nothing was heard.')
    const { status, body } = sayAsGo(heard, instructions)
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' })
    response.end(isText ? body : JSON.stringify(body))
  }

  it('is ready as a whole, and posts what that broker reads', async () => {
    const { adminKubeconfig: kubeconfig, kubectl } = controlPlane()
    await agent.stop()
    await kubectl(['apply', '--filename=-'], JSON.stringify(READY_NODE))
    const whole = await startAgent({
      ...{ brokerUrl: broker.url, certPath: await certificates.forCluster('rome'), kubeconfig },
      flags: ['--instruction-poll-interval=200ms'],
    })
    onTestFinished(whole.stop)

    await eventually('it is ready', async () => (await whole.readiness()).isReady, 60_000)

    const posted = broker.heard.find(({ line }) => line === 'POST /api/v1/advertisements')
    expect(posted?.body).toMatchObject({
      clusterID: 'rome',
      clusterName: 'rome',
      resources: {
        capacity: AMOUNTS,
        allocatable: AMOUNTS,
        allocated: { cpu: '0', memory: '0' },
        available: AMOUNTS,
      },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    expect(posted?.body).not.toHaveProperty('resources.reserved')
    expect(await whole.metrics()).toMatch(/agent_publish_total\{result="success"\} [1-9]/)
  })

  it('says once that this broker does not list reservations, and does not warn', async () => {
    const before = listings().length

    await eventually('it has asked several times', () => listings().length > before + 2, 60_000)

    expect(agent.lines.filter((line) => line.includes('reservations'))).toEqual([
      'this broker does not list reservations',
    ])
  })

  it('reserves once, keeps what it has, and lets go of the request when it is deleted', async () => {
    await rome.ask('job', { cpu: 2, duration: '1h' })
    const status = await rome.phase('job', 'Reserved')
    const [instruction] = await rome.borrowed()
    await agent.stop()
    const before = asked('GET').length
    const next = await liveAgent({
      client: rome.client,
      broker: createHttpBroker({
        url: broker.url,
        certPath: await certificates.forCluster('rome'),
      }),
      pollMs,
    })
    await eventually('it has asked again', () => asked('GET').length > before + 1, 60_000)
    const kept = await rome.borrowed()
    await rome.remove('job')
    await rome.gone('job')
    await next.stop()

    expect(status).toMatchObject({
      targetClusterID: 'paris',
      reservationName: expect.stringMatching(/^rsv-rome-\d{13}$/),
    })
    expect(instruction?.spec?.message).toBe('Use paris for 2 CPU, 4Gi Memory')
    expect(asked('POST /api/v1/reservations')).toHaveLength(1)
    expect(kept).toHaveLength(1)
    expect(await rome.borrowed()).toEqual([])
  })

  it('holds what it is told by polls, until its time is over and not before', async () => {
    const expiresAt = new Date(Date.now() + 45_000).toISOString()
    instructions = [{ id: 'rsv-1', requesterID: 'berlin', targetClusterID: 'rome', expiresAt }]
    await rome.lends('rsv-1-provider', ({ status }) => status?.enforced === true)

    // It may be another broker, which knows of nothing: it has no ledger to tell that by.
    instructions = []
    const before = asked('GET').length
    // The answer to one has been read when the next is asked.
    await eventually('it was told so', () => asked('GET').length > before + 1, 60_000)
    const held = agent.follower.held().map(({ id }) => id)

    expect(held).toEqual(['rsv-1'])
    // Soon afterwards it is not even shown any more.
    const isOver = async () => (await rome.lent()).every(({ status }) => status?.enforced !== true)
    await eventually('it is over', isOver, 120_000)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt) - 1_000)
  })

  function asked(what: string) {
    return broker.heard.filter((one) => one.line.startsWith(what) && !listings().includes(one))
  }

  /** Questions that this broker does not know. */
  function listings() {
    return broker.heard.filter(({ line }) => line.startsWith('GET /api/v1/reservations'))
  }
})

const AMOUNTS = { cpu: '8', memory: '32Gi' }
const READY_NODE = {
  ...aNode('node-1'),
  status: { ...aNode('node-1').status, conditions: [{ type: 'Ready', status: 'True' }] },
}
