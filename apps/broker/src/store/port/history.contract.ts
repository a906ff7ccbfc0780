import { PAGE_SIZE_MAX } from '@bourse/contract'
import { BURIED } from '@bourse/domain/ledger'
import { afterEach, describe, expect, it } from 'vitest'
import { aReservation, collect } from '../../../fixtures/store/samples/journal-samples.ts'
import { requestKey } from '../codec/request-key.ts'
import type { DecisionRecord, History, HistoryBatch } from './history.ts'

export type HistoryPlace = Readonly<{ history: History; cleanUp(): Promise<void> }>

/** What every implementation of a history must do. */
export function describeHistory(name: string, createPlace: () => Promise<HistoryPlace>) {
  describe(`${name} as a history`, () => {
    const places: HistoryPlace[] = []
    afterEach(async () => {
      for (const place of places.splice(0)) await place.cleanUp()
    })
    const newHistory = async () => {
      const place = await createPlace()
      places.push(place)
      return place.history
    }
    describeMemory(newHistory)
    describeLists(newHistory)
    describePruning(newHistory)
  })
}

function describeMemory(newHistory: () => Promise<History>) {
  it('knows nothing at first', async () => {
    const history = await newHistory()

    expect(await history.ended('rsv-1')).toBeUndefined()
    expect(await history.decision(decided('rsv-1'))).toBeUndefined()
    expect(await history.request('rest', 'rome', 'r1')).toBeUndefined()
    expect(await collect(history.requestKeys())).toEqual([])
  })

  it('gives back ended reservations and decisions exactly', async () => {
    const history = await newHistory()
    const reservation = ended('rsv-1', { wanted: { memory: 2n ** 62n }, requestId: 'r1' })

    await history.record(batch({ ended: [reservation], decisions: [aDecision('rsv-1')] }))

    expect(await history.ended('rsv-1')).toEqual(reservation)
    expect(await history.decision(decided('rsv-1'))).toEqual(aDecision('rsv-1'))
  })

  it('changes nothing when the same is recorded again', async () => {
    const history = await newHistory()
    const once = batch({
      ended: [ended('rsv-1', { requestId: 'r1' })],
      tombstones: [aTombstone('r2')],
    })

    await history.record(once)
    await history.record(once)

    expect(await history.listEnded({ limit: 10 })).toHaveLength(1)
    expect((await collect(history.requestKeys())).flat()).toHaveLength(2)
  })

  it('remembers what a request id led to, by door and requester', async () => {
    const history = await newHistory()
    const reservation = ended('rsv-1', { requestId: 'r1' })

    await history.record(batch({ ended: [reservation], tombstones: [aTombstone('r2')] }))

    expect(await history.request('rest', 'rome', 'r1')).toEqual({ kind: 'granted', reservation })
    expect(await history.request('rest', 'rome', 'r2')).toEqual({ kind: 'tombstone' })
    expect(await history.request('kubernetes', 'rome', 'r1')).toBeUndefined()
    expect(await history.request('rest', 'oslo', 'r1')).toBeUndefined()
  })

  it('remembers a reservation and the tombstone that was put beside it', async () => {
    const history = await newHistory()
    const reservation = ended('rsv-1', { requestId: 'r1' })
    const both = batch({ ended: [reservation], tombstones: [aTombstone('r1', 6_000)] })

    await history.record(batch({ ended: [reservation] }))
    await history.record(batch({ tombstones: [aTombstone('r1', 6_000)] }))
    await history.record(both)

    const buried = { ...reservation, fingerprint: BURIED }
    expect(await history.request('rest', 'rome', 'r1')).toEqual({
      kind: 'granted',
      reservation: buried,
    })
    expect(await history.ended('rsv-1')).toEqual(reservation)
    expect(await history.requestCount()).toBe(1)
  })

  it('remembers a reservation that ends after the tombstone beside it was put there', async () => {
    const history = await newHistory()
    const reservation = ended('rsv-1', { requestId: 'r1' })

    await history.record(batch({ tombstones: [aTombstone('r1', 6_000)] }))
    await history.record(batch({ ended: [reservation] }))

    expect(await history.request('rest', 'rome', 'r1')).toEqual({
      kind: 'granted',
      reservation: { ...reservation, fingerprint: BURIED },
    })
  })

  it('lists the keys of all remembered request ids', async () => {
    const history = await newHistory()
    await history.record(batch({ tombstones: [aTombstone('r1'), aTombstone('r2')] }))

    const keys = (await collect(history.requestKeys())).flat()

    expect(await history.requestCount()).toBe(2)
    expect(keys.toSorted()).toEqual([keyOf('r1'), keyOf('r2')].toSorted())
  })

  it('knows up to which batch it has everything', async () => {
    const history = await newHistory()

    await history.record(batch({ through: 7 }))
    await history.record(batch({ through: 5 }))

    expect(await history.recordedThrough()).toBe(7)
  })
}

function describeLists(newHistory: () => Promise<History>) {
  const three = [
    ended('rsv-1', { createdAt: 1_000 }),
    ended('rsv-2', { createdAt: 2_000, requester: 'oslo' }),
    ended('rsv-3', { createdAt: 2_000, legs: [{ clusterId: 'oslo', resources: { cpu: 1n } }] }),
  ]

  it.each([
    { name: 'newest first', query: { limit: 10 }, ids: ['rsv-3', 'rsv-2', 'rsv-1'] },
    { name: 'as many as asked for', query: { limit: 2 }, ids: ['rsv-3', 'rsv-2'] },
    {
      name: 'from where the last page ended',
      query: { limit: 2, after: { createdAt: 2_000, id: 'rsv-2' } },
      ids: ['rsv-1'],
    },
    { name: 'of a party', query: { limit: 10, party: 'oslo' }, ids: ['rsv-3', 'rsv-2'] },
    {
      name: 'of a requester',
      query: { limit: 10, party: 'oslo', role: 'requester' as const },
      ids: ['rsv-2'],
    },
    {
      name: 'of a provider',
      query: { limit: 10, party: 'oslo', role: 'provider' as const },
      ids: ['rsv-3'],
    },
    {
      name: 'of a party, from where the last page ended',
      query: { limit: 10, party: 'rome', after: { createdAt: 2_000, id: 'rsv-3' } },
      ids: ['rsv-1'],
    },
  ])('lists what ended $name', async ({ query, ids }) => {
    const history = await newHistory()
    await history.record(batch({ ended: three }))

    const listed = await history.listEnded(query)

    expect(listed.map(({ id }) => id)).toEqual(ids)
  })

  it.each([
    { name: 'of all clusters', whose: {} },
    { name: 'of a party', whose: { party: 'rome' } },
  ])('lists the largest page $name, and one more', async ({ whose }) => {
    const history = await newHistory()
    const many = Array.from({ length: PAGE_SIZE_MAX + 5 }, (_, nth) => ended(`rsv-${nth}`))
    await history.record(batch({ ended: many }))

    const listed = await history.listEnded({ ...whose, limit: PAGE_SIZE_MAX + 1 })

    expect(listed).toHaveLength(PAGE_SIZE_MAX + 1)
  })
}

function describePruning(newHistory: () => Promise<History>) {
  it('forgets what ended before its time, with its decision', async () => {
    const history = await newHistory()
    const old = ended('rsv-1', { endedAt: 1_000, requestId: 'r1' })
    const recent = ended('rsv-2', { endedAt: 9_000, requestId: 'r2' })
    await history.record(
      batch({ ended: [old, recent], decisions: [aDecision('rsv-1'), aDecision('rsv-2')] }),
    )

    await history.prune({ endedBefore: 5_000, requestsBefore: 5_000, requestsMax: 100 })

    expect(await history.ended('rsv-1')).toBeUndefined()
    expect(await history.decision(decided('rsv-1'))).toBeUndefined()
    expect(await history.request('rest', 'rome', 'r1')).toBeUndefined()
    expect((await history.listEnded({ limit: 9, party: 'paris' })).map(({ id }) => id)).toEqual([
      'rsv-2',
    ])
    expect(await history.request('rest', 'rome', 'r2')).toMatchObject({ kind: 'granted' })
  })

  it('keeps a reservation as long as its request id is remembered', async () => {
    const history = await newHistory()
    await history.record(batch({ ended: [ended('rsv-1', { endedAt: 3_000, requestId: 'r1' })] }))

    await history.prune({ endedBefore: 5_000, requestsBefore: 2_000, requestsMax: 100 })

    expect(await history.request('rest', 'rome', 'r1')).toMatchObject({ kind: 'granted' })
  })

  it('keeps a tombstone for its own time, whenever the reservation beside it ended', async () => {
    const history = await newHistory()
    const reservation = ended('rsv-1', { endedAt: 3_000, requestId: 'r1' })
    await history.record(batch({ ended: [reservation], tombstones: [aTombstone('r1', 6_000)] }))

    await history.prune({ endedBefore: 5_000, requestsBefore: 5_000, requestsMax: 100 })

    expect(await history.ended('rsv-1')).toBeUndefined()
    expect(await history.request('rest', 'rome', 'r1')).toEqual({ kind: 'tombstone' })
  })

  it('keeps no more request ids of a requester than allowed, and the newest of them', async () => {
    const history = await newHistory()
    const tombstones = Array.from({ length: 700 }, (_, nth) => aTombstone(`r${nth}`, 1_000 + nth))
    await history.record(batch({ tombstones: [...tombstones, aTombstone('o1', 1, 'oslo')] }))

    await history.prune({ endedBefore: 0, requestsBefore: 0, requestsMax: 3 })

    const keys = (await collect(history.requestKeys())).flat()
    const kept = [keyOf('r697'), keyOf('r698'), keyOf('r699'), keyOf('o1', 'oslo')]
    expect(keys.toSorted()).toEqual(kept.toSorted())
  })
}

const ended = (id: string, changes: Parameters<typeof aReservation>[1] = {}) =>
  aReservation(id, { phase: 'Released', reason: 'Expired', endedAt: 5_000, ...changes })

const batch = (some: Partial<HistoryBatch>): HistoryBatch => ({
  through: 0,
  decisions: [],
  ended: [],
  tombstones: [],
  ...some,
})

const aTombstone = (requestId: string, at = 5_000, requester = 'rome') => ({
  door: 'rest',
  requester,
  requestId,
  at,
})

const keyOf = (requestId: string, requester = 'rome') =>
  requestKey({ door: 'rest', requester, requestId })

const decided = (id: string) => ({ id, decidedIndex: 7 })

const aDecision = (reservationId: string): DecisionRecord => ({
  reservationId,
  index: 7,
  at: 1_000,
  request: { requester: 'rome', wanted: { cpu: 2n ** 60n }, pinned: 'paris' },
  decision: {
    policy: 'resources=70,cost=30',
    best: [{ clusterId: 'paris', score: 66.67, parts: { resources: 66.67 } }],
    refused: { Stale: 2 },
  },
})
