import { anAdvertisement, startBroker, type TestBroker } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { objectsOf } from '../../../../test/journeys/federation/agent-objects.ts'
import { type AgentLife, liveAgent } from './agent-life.fixture.ts'

describe('a requester', () => {
  const controlPlane = useControlPlane()
  let broker: TestBroker
  let rome: Awaited<ReturnType<typeof objectsOf>>
  let life: AgentLife

  beforeAll(async () => {
    await controlPlane().kubectl(['apply', '-f', 'config/crd/bases'])
    rome = await objectsOf(controlPlane().adminKubeconfig)
    broker = await startBroker()
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris'))
  })
  afterAll(async () => {
    await broker.dispose()
    await rome.client.close()
  })
  beforeEach(async () => {
    life = await liveAgent({
      client: rome.client,
      broker: await broker.aClient('rome'),
      clusterId: 'rome',
    })
    onTestFinished(() => life.stop())
  })

  it('gets what it asks for, with an instruction, and gives it back when it is deleted', async () => {
    await rome.ask('job', { duration: '1h' })

    const status = await rome.phase('job', 'Reserved')
    const [instruction] = await rome.borrowed()
    await rome.remove('job')
    await rome.gone('job')

    expect(status).toMatchObject({
      targetClusterID: 'paris',
      message: 'Reserved on paris',
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Reserved' }],
    })
    expect(instruction).toMatchObject({
      metadata: { name: status.reservationName },
      spec: { message: 'Use paris for 2 CPU, 4Gi Memory', targetClusterID: 'paris' },
    })
    expect(await rome.borrowed()).toEqual([])
    const held = await (await broker.aClient('paris')).fetchInstructions()
    expect(held.instructions).toEqual([])
  })
})
