// Budget: 30 seconds.
import { aRequest, eventually } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

describe('a ResourceRequest whose finalizer somebody tore off', () => {
  const { controlPlane, broker, rome, anAgent } = useRome()

  it('is released when the broker is back', async () => {
    await anAgent()
    await rome().ask('impatient', { duration: '1h' })
    await rome().phase('impatient', 'Reserved')
    await broker().stop()

    await tearOff('impatient')
    await broker().restart()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 30_000)
    expect(await rome().borrowed()).toEqual([])
  })

  it('is released by the next agent, if there was none at that moment', async () => {
    const agent = await anAgent()
    await rome().ask('unseen', { duration: '1h' })
    await rome().phase('unseen', 'Reserved')
    await agent.stop()

    await tearOff('unseen')
    await anAgent()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 30_000)
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })

  it('is not confused with what was reserved in another way', async () => {
    const client = await broker().aClient('rome')
    await client.requestReservation(aRequest({ cpu: '1' }))
    const agent = await anAgent()
    await eventually('it is told here', async () => (await rome().borrowed()).length === 1, 30_000)
    await agent.stop()

    const { lines } = await anAgent()
    await rome().ask('other', { duration: '1h' })
    await rome().phase('other', 'Reserved')
    await rome().remove('other')
    await rome().gone('other')

    expect(await heldOnParis()).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('released what'))).toEqual([])
  })

  async function tearOff(name: string): Promise<void> {
    const { kubectl } = controlPlane()
    await kubectl(['delete', 'rreq', name, '--wait=false'])
    const none = '--patch={"metadata":{"finalizers":null}}'
    await kubectl(['patch', 'rreq', name, '--type=merge', none])
    await rome().gone(name)
  }

  async function heldOnParis() {
    return (await (await broker().aClient('paris')).fetchInstructions()).instructions
  }
})
