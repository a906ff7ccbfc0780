import { setTimeout } from 'node:timers/promises'
import type { KubeClient, KubeObject } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

/** Longer than anything else here takes: what is written is told only when all is done. */
const BEHIND_MS = 500

/** A client whose watches are behind; it notes what is written. */
function withSlowWatches(client: KubeClient) {
  const writes: string[] = []
  const slow: KubeClient = {
    ...client,
    async *watch<T extends KubeObject>(...asked: Parameters<KubeClient['watch']>) {
      for await (const event of client.watch<T>(...asked)) {
        await setTimeout(BEHIND_MS)
        yield event
      }
    },
    create(...asked) {
      writes.push(`create ${asked[0].kind}`)
      return client.create(...asked)
    },
    mergePatch(...asked) {
      writes.push([`patch ${asked[0].kind}`, asked[3]?.subresource ?? ''].join(' ').trim())
      return client.mergePatch(...asked)
    },
  }
  return { slow, writes }
}

describe('a requester', () => {
  const { broker, rome, anAgent } = useRome()

  it('gets what it asks for, with an instruction, and gives it back when it is deleted', async () => {
    await anAgent()
    await rome().ask('job', { duration: '1h' })

    const status = await rome().phase('job', 'Reserved')
    const [instruction] = await rome().borrowed()
    await rome().remove('job')
    await rome().gone('job')

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
    expect(await rome().borrowed()).toEqual([])
    const held = await (await broker().aClient('paris')).fetchInstructions()
    expect(held.instructions).toEqual([])
  })

  it('writes nothing twice, though its watches tell of each write long after', async () => {
    const { slow, writes } = withSlowWatches(rome().client)
    await anAgent(slow)

    await rome().ask('patient', { duration: '1h' })
    const { reservationName } = await rome().phase('patient', 'Reserved')
    await eventually('all is written', () => writes.length >= 5)
    // The finalizer, the status and what else there was: each is told after the one before.
    await setTimeout(5 * BEHIND_MS)
    const borrowed = (await rome().borrowed()).filter(
      ({ metadata }) => metadata.name === reservationName,
    )

    expect(borrowed).toMatchObject([{ status: { delivered: true } }])
    // The others come in any order when the create takes longer than the head start it gives.
    expect(writes.slice(0, 2)).toEqual(['patch ResourceRequest', 'create ReservationInstruction'])
    expect(writes.slice(2).toSorted()).toEqual([
      'create Event',
      'patch ReservationInstruction status',
      'patch ResourceRequest status',
    ])
    await rome().remove('patient')
    await rome().gone('patient')
  })

  it('has its instruction delivered though its own status cannot be written', async () => {
    const { client } = rome()
    const refusing: KubeClient = {
      ...client,
      mergePatch: (...asked) =>
        asked[0].kind === 'ResourceRequest' && asked[3]?.subresource === 'status'
          ? Promise.reject(new Error('not now'))
          : client.mergePatch(...asked),
    }
    const before = new Set((await rome().borrowed()).map(({ metadata }) => metadata.name))
    await anAgent(refusing)

    await rome().ask('unshown', { duration: '1h' })

    const delivered = await eventually('it is delivered', async () =>
      (await rome().borrowed()).find(
        ({ metadata, status }) => !before.has(metadata.name) && status?.delivered,
      ),
    )
    expect(delivered).toMatchObject({ spec: { targetClusterID: 'paris' } })
    await rome().remove('unshown')
    await rome().gone('unshown')
  })

  it('is told when its time is over, and that nothing is borrowed any more', async () => {
    await anAgent()
    await rome().ask('short', { duration: '1h' })
    await rome().phase('short', 'Reserved')

    await rome().edit('short', { duration: '1s' })

    const status = await rome().phase('short', 'Released')

    expect(status).toMatchObject({
      reason: 'Expired',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Expired' },
        { type: 'Stalled', status: 'True', reason: 'Expired' },
      ],
    })
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })

  it('is told when an operator gives back what it has', async () => {
    await anAgent()
    await rome().ask('taken', { duration: '1h' })
    const { reservationName: id = '' } = await rome().phase('taken', 'Reserved')

    await (await broker().anOperator()).release({ id })

    expect(await rome().phase('taken', 'Released')).toMatchObject({ reason: 'Released' })
    await eventually('nothing is borrowed', async () => (await rome().borrowed()).length === 0)
  })
})
