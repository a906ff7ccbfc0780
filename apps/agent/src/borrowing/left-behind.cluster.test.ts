// Budget: 40 seconds.
import { renameSync, rmSync } from 'node:fs'
import { conditionOf } from '@bourse/kube'
import { aRequest, eventually } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

describe('a ResourceRequest whose finalizer a user removed', () => {
  const { controlPlane, broker, rome, anAgent } = useRome()

  it('is released when the broker is back', async () => {
    await anAgent()
    await rome().ask('impatient', { duration: '1h' })
    await rome().phase('impatient', 'Reserved')
    await broker().stop()

    await tearOff('impatient')
    await broker().restart()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 60_000)
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })

  it('is released by the next agent, if there was none at that moment', async () => {
    const agent = await anAgent()
    await rome().ask('unseen', { duration: '1h' })
    await rome().phase('unseen', 'Reserved')
    await agent.stop()

    await tearOff('unseen')
    await anAgent()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 60_000)
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })

  it('is released by the next agent, if the broker was away as long as there was one', async () => {
    const agent = await anAgent()
    await rome().ask('forsaken', { duration: '1h' })
    await rome().phase('forsaken', 'Reserved')
    await broker().stop()
    await rome().remove('forsaken')
    await eventually('it is given up here', isGivenBack, 60_000)

    await tearOff('forsaken')
    await agent.stop()
    const next = await anAgent()
    const kept = await rome().borrowed()
    await broker().restart()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 60_000)
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
    await eventually('it says so', () => saysReleased(next.lines) > 0)
    expect(kept).toHaveLength(1)
    expect(saysReleased(next.lines)).toBe(1)
  })

  it('waits for the ledger that holds it, however long another one answers', async () => {
    const agent = await anAgent()
    await rome().ask('strayed', { duration: '1h' })
    const { reservationName = '' } = await rome().phase('strayed', 'Reserved')
    await agent.stop()
    await tearOff('strayed')
    await broker().stop()
    const aside = `${broker().dataDir}-aside`
    renameSync(broker().dataDir, aside)
    await broker().restart()

    const { lines, stop } = await anAgent()
    await eventually('it is given up here', isGivenBack, 60_000)
    await stop()
    await broker().stop()
    rmSync(broker().dataDir, { recursive: true })
    renameSync(aside, broker().dataDir)
    await broker().restart()
    const held = (await heldOnParis()).map(({ id }) => id)
    await anAgent()

    await eventually('nothing is held', async () => (await heldOnParis()).length === 0, 60_000)
    expect(held).toEqual([reservationName])
    expect(saysReleased(lines)).toBe(0)
  })

  it('is not there at all when only a hand says that it was given up', async () => {
    await anAgent()
    await rome().ask('wanted', { duration: '1h' })
    const { reservationName = '' } = await rome().phase('wanted', 'Reserved')

    const mark = 'bourse.dev/withdrawn=true'
    await controlPlane().kubectl(['annotate', 'rinst', reservationName, mark])

    await eventually('the mark is taken away', async () => {
      const [instruction] = await rome().borrowed()
      return instruction?.metadata.annotations?.['bourse.dev/withdrawn'] === undefined
    })
    expect((await heldOnParis()).map(({ id }) => id)).toEqual([reservationName])
    await rome().remove('wanted')
    await rome().gone('wanted')
  })

  it('is not confused with what was reserved in another way', async () => {
    const client = await broker().aClient('rome')
    await client.requestReservation(aRequest({ cpu: '1' }))
    const agent = await anAgent()
    await eventually('it is told here', async () => (await rome().borrowed()).length === 1, 60_000)
    await agent.stop()

    const { lines } = await anAgent()
    await rome().ask('other', { duration: '1h' })
    await rome().phase('other', 'Reserved')
    await rome().remove('other')
    await rome().gone('other')

    expect(await heldOnParis()).toHaveLength(1)
    expect(saysReleased(lines)).toBe(0)
  })

  async function tearOff(name: string): Promise<void> {
    const { kubectl } = controlPlane()
    await kubectl(['delete', 'rreq', name, '--wait=false'])
    const none = '--patch={"metadata":{"finalizers":null}}'
    await kubectl(['patch', 'rreq', name, '--type=merge', none])
    await rome().gone(name)
  }

  async function isGivenBack(): Promise<boolean> {
    const [instruction] = await rome().borrowed()
    return conditionOf(instruction?.status?.conditions, 'Ready')?.reason === 'GivenBack'
  }

  async function heldOnParis() {
    return (await (await broker().aClient('paris')).fetchInstructions()).instructions
  }
})

function saysReleased(lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith('released the reservation')).length
}
