import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conditionOf } from '@bourse/kube'
import { anAdvertisement, eventually, startBroker, type TestBroker } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { objectsOf } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { liveAgent } from '../../fixtures/borrowing/agent-life.ts'

describe('a requester that its broker does not hear, or does not want to', () => {
  const controlPlane = useControlPlane({ kinds: bourseKinds })
  const dir = mkdtempSync(join(tmpdir(), 'bourse-denied-'))
  const denied = join(dir, 'denied')
  let broker: TestBroker
  let rome: Awaited<ReturnType<typeof objectsOf>>

  beforeAll(async () => {
    rome = await objectsOf(controlPlane().adminKubeconfig)
    writeFileSync(denied, 'mordor\n')
    broker = await startBroker({ flags: [`--deny-clusters=@${denied}`] })
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris'))
  })
  afterAll(async () => {
    await broker.dispose()
    await rome.client.close()
    rmSync(dir, { recursive: true })
  })
  beforeEach(async () => {
    const client = await broker.aClient('rome')
    const life = await liveAgent({ client: rome.client, broker: client })
    onTestFinished(() => life.stop())
  })

  async function heldOnParis(): Promise<number> {
    return (await (await broker.aClient('paris')).fetchInstructions()).instructions.length
  }

  it('gives back what was deleted meanwhile as soon as the broker is back', async () => {
    await rome.ask('deleted', { duration: '1h' })
    await rome.phase('deleted', 'Reserved')
    expect(await heldOnParis()).toBe(1)

    await broker.stop()
    await rome.remove('deleted')
    const { message } = await rome.until('deleted', 'it says that it waits', (status) =>
      `${status.message}`.startsWith('It will be released as soon as possible'),
    )
    await broker.restart()
    await rome.gone('deleted')

    expect(message).toContain('cannot be reached')
    expect(await heldOnParis()).toBe(0)
    expect(await rome.borrowed()).toEqual([])
  })

  it('waits while it is denied, says so, and is served once it is admitted again', async () => {
    writeFileSync(denied, 'rome\n')
    const client = await broker.aClient('rome')
    const isDenied = () => client.fetchInstructions().then(no, yes)
    await eventually('rome is denied', isDenied, 60_000)
    await rome.ask('denied', { duration: '1h' })
    const waiting = await rome.until(
      'denied',
      'it says that it is denied',
      ({ conditions }) => conditionOf(conditions, 'Ready')?.reason === 'ClusterDenied',
    )

    writeFileSync(denied, 'mordor\n')
    await rome.phase('denied', 'Reserved')
    await rome.remove('denied')
    await rome.gone('denied')

    expect(waiting).toMatchObject({ phase: 'Pending', message: 'rome is on the deny list.' })
  })
})

const yes = () => true
const no = () => false
