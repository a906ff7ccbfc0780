import { describe, expect, it } from 'vitest'
import { createFakeObjects, refusal } from '../../../fixtures/store/kubernetes/objects.ts'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { describeHistory } from '../port/history.contract.ts'
import type { DecisionRecord, HistoryBatch } from '../port/history.ts'
import { historyChunkKind } from './kinds.ts'
import { openKubernetesHistory } from './kubernetes-history.ts'

describeHistory('kubernetes', async () => ({
  history: await aPlace().open(),
  cleanUp: async () => {},
}))

describe('openKubernetesHistory', () => {
  it('finds again what was secured, and up to where', async () => {
    const { open } = aPlace()
    const before = await open()
    await before.record(anEnd('rsv-1', 7))
    await before.secure()
    await before.record(anEnd('rsv-2', 9))

    const after = await open()

    expect(await after.ended('rsv-1')).toMatchObject({ id: 'rsv-1' })
    expect(await after.ended('rsv-2')).toBeUndefined()
    expect(await after.recordedThrough()).toBe(7)
  })

  it('lets its last object grow rather than making one each time', async () => {
    const { open, objects } = aPlace()
    const history = await open()

    for (const through of [1, 2, 3]) {
      await history.record(anEnd(`rsv-${through}`, through))
      await history.secure()
    }

    expect(objects.all(historyChunkKind)).toHaveLength(1)
    expect(await (await open()).listEnded({ limit: 9 })).toHaveLength(3)
  })

  it('goes on where the leader before it stopped, without doubling what that one secured', async () => {
    const { open, objects } = aPlace()
    const [leader, standby] = [await open(), await open()]
    await leader.record(anEnd('rsv-1', 1))
    await standby.record(anEnd('rsv-1', 1))
    await leader.secure()
    await standby.record(anEnd('rsv-2', 2))

    await standby.secure()

    expect(objects.all(historyChunkKind)).toHaveLength(1)
    expect((await (await open()).listEnded({ limit: 9 })).map(({ id }) => id)).toEqual([
      'rsv-2',
      'rsv-1',
    ])
  })

  it('secures again what it could not, once it can', async () => {
    const { open, objects } = aPlace()
    const history = await open()
    await history.record(anEnd('rsv-1', 1))
    objects.onWrite = () => ({ isDone: true, error: refusal(504, 'Timeout') })
    await expect(history.secure()).rejects.toThrow('Timeout')
    objects.onWrite = undefined

    await history.secure()

    expect(await (await open()).ended('rsv-1')).toMatchObject({ id: 'rsv-1' })
  })

  it('takes the room back from what is past its time', async () => {
    const { open, objects } = aPlace()
    const history = await open()
    await history.record(anEnd('rsv-1', 1))
    await history.secure()
    await history.prune({ endedBefore: 9_000, requestsBefore: 9_000, requestsMax: 10 })

    await history.secure()

    expect(objects.all(historyChunkKind)).toMatchObject([{ spec: { text: '', through: 1 } }])
    expect(await (await open()).recordedThrough()).toBe(1)
  })

  it('wants grounds recorded, also where its cache could find them elsewhere', async () => {
    const { objects } = aPlace()
    const cache = { ...createMemoryHistory(), findsDecisionsInJournal: true }

    const history = await openKubernetesHistory({ objects, namespace: 'bourse', cache })

    expect(history.findsDecisionsInJournal).toBe(false)
  })

  it('keeps the grounds of a reservation that lives on, however old they are', async () => {
    const { open } = aPlace(10_000)
    const history = await open()
    const decisions = [aDecision('rsv-1'), aDecision('rsv-2')]
    await history.record({ ...anEnd('rsv-2', 1), decisions })
    await history.secure()
    await history.prune({ endedBefore: 9_000, requestsBefore: 9_000, requestsMax: 10 })
    await history.secure()
    await history.prune({ endedBefore: 9_500, requestsBefore: 9_500, requestsMax: 10 })

    await history.secure()

    const after = await open()
    expect(await after.decision({ id: 'rsv-1', decidedIndex: 1 })).toEqual(aDecision('rsv-1'))
  })
})

function aPlace(now = 0) {
  const place = { objects: createFakeObjects(), namespace: 'bourse', now: () => now }
  const open = () => openKubernetesHistory({ ...place, cache: createMemoryHistory() })
  return { objects: place.objects, open }
}

const aDecision = (reservationId: string): DecisionRecord => ({
  reservationId,
  index: 1,
  at: 1_000,
  request: { requester: 'rome', wanted: { cpu: 1_000n } },
  decision: { policy: 'p1', best: [], refused: {} },
})

const anEnd = (id: string, through: number): HistoryBatch => ({
  through,
  decisions: [],
  ended: [aReservation(id, { phase: 'Released', createdAt: through, endedAt: 5_000 })],
  tombstones: [],
})
