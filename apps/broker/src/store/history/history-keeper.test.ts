import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import type { History } from '../port/history.ts'
import { createHistoryKeeper } from './history-keeper.ts'

const decision = { policy: 'p', best: [], refused: {} }
const live = aReservation('rsv-1', { requestId: 'r1', pinned: 'paris' })
const ended = { ...live, phase: 'Released', endedAt: 2_000, reason: 'Expired' } as const
const reserved: LedgerEvent = { kind: 'reserved', at: 1_000, reservation: live, decision }
const released = (draining: boolean): LedgerEvent => ({
  kind: 'released',
  at: 2_000,
  reservation: ended,
  reason: 'Expired',
  draining,
})
const drained: LedgerEvent = { kind: 'drained', at: 3_000, reservation: ended, clusterId: 'paris' }
const tombstone = { door: 'rest', requester: 'rome', requestId: 'r9', at: 2_000 }

function aKeeper({
  recordedThrough = 0,
  ...changes
}: {
  recordedThrough?: number
  record?: History['record']
  findsDecisionsInJournal?: boolean
} = {}) {
  const history: History = { ...createMemoryHistory(), ...changes }
  const forgotten: string[] = []
  const noted: string[] = []
  const keeper = createHistoryKeeper({
    history,
    recordedThrough,
    note: async (scopes) => {
      noted.push(...scopes.map(({ requestId }) => requestId))
    },
    forget: async (batch) => {
      forgotten.push(...batch.ended, ...batch.tombstones.map(({ requestId }) => requestId))
    },
  })
  const take = (index: number, ...events: LedgerEvent[]) => keeper.take({ index, at: 0, events })
  return { keeper, take, history, forgotten, noted }
}

describe('the keeper of the history', () => {
  it('writes down the grounds of a decision while the reservation lives on', async () => {
    const { keeper, take, history, forgotten } = aKeeper()
    take(4, reserved)

    await keeper.flush()

    expect(await history.decision(live)).toEqual({
      reservationId: 'rsv-1',
      index: 4,
      at: 1_000,
      request: { requester: 'rome', wanted: live.wanted, pinned: 'paris' },
      decision,
    })
    expect(forgotten).toEqual([])
  })

  it('leaves the grounds to a history that finds them in the journal', async () => {
    const record = vi.fn<History['record']>()
    const { keeper, take } = aKeeper({ record, findsDecisionsInJournal: true })
    take(4, reserved)
    take(5, released(false))

    await keeper.flush()

    expect(record).toHaveBeenCalledExactlyOnceWith({
      through: 5,
      decisions: [],
      ended: [ended],
      tombstones: [],
    })
  })

  it.each([
    { name: 'at once when it was not in use', events: [released(false)] },
    { name: 'when its provider has given it back', events: [released(true), drained] },
  ])('lets memory forget an ended reservation $name', async ({ events }) => {
    const { keeper, take, history, forgotten, noted } = aKeeper()
    take(5, ...events)

    await keeper.flush()

    expect(await history.ended('rsv-1')).toEqual(ended)
    expect(forgotten).toEqual(['rsv-1'])
    expect(noted).toEqual(['r1'])
  })

  it('keeps a draining reservation in memory', async () => {
    const { keeper, take, forgotten } = aKeeper()
    take(5, released(true))

    await keeper.flush()

    expect(forgotten).toEqual([])
  })

  it('moves tombstones to the disk', async () => {
    const { keeper, take, history, forgotten } = aKeeper()
    take(5, { kind: 'tombstoned', ...tombstone })

    await keeper.flush()

    expect(await history.request('rest', 'rome', 'r9')).toEqual({ kind: 'tombstone' })
    expect(forgotten).toEqual(['r9'])
  })

  it('notes up to which batch the history has everything', async () => {
    const { keeper, take, history } = aKeeper()
    take(5, released(false))
    take(6, { kind: 'staled', at: 0, clusterId: 'paris' })

    await keeper.flush()

    expect(await history.recordedThrough()).toBe(6)
  })

  it('writes nothing again that a replay brings, but lets memory forget it', async () => {
    const record = vi.fn<History['record']>()
    const { keeper, take, forgotten } = aKeeper({ recordedThrough: 5, record })
    take(5, released(false))

    await keeper.flush()

    expect(record).not.toHaveBeenCalled()
    expect(forgotten).toEqual(['rsv-1'])
  })

  it('lets memory forget the ended reservations of a snapshot, unless they drain', async () => {
    const { keeper, forgotten } = aKeeper()
    const draining = { ...ended, id: 'rsv-2' }
    keeper.takePart({ kind: 'draining', draining: [{ id: 'rsv-2', clusterId: 'paris' }] })
    keeper.takePart({ kind: 'reservations', reservations: [live, ended, draining] })
    keeper.takePart({ kind: 'tombstones', tombstones: [tombstone] })

    await keeper.flush()

    expect(forgotten).toEqual(['rsv-1', 'r9'])
  })

  it('writes it again until the disk takes it', async () => {
    vi.useFakeTimers()
    const memory = createMemoryHistory()
    const record = vi.fn<History['record']>(memory.record).mockRejectedValueOnce(new Error('full'))
    const { keeper, take, forgotten } = aKeeper({ record })
    take(5, released(false))

    const flushed = keeper.flush()
    await vi.advanceTimersByTimeAsync(1_000)
    await flushed
    vi.useRealTimers()

    expect(record).toHaveBeenCalledTimes(2)
    expect(forgotten).toEqual(['rsv-1'])
  })

  it('says why when it falls far behind, so that nothing new is decided', async () => {
    const { take, keeper } = aKeeper({ record: () => new Promise(() => {}) })

    take(5, ...Array.from({ length: 150_000 }, () => reserved))

    expect(keeper.trouble()).toBe('The history on disk is 150000 entries behind: the disk is slow')
  })

  it('can be closed while the disk refuses: the journal still has everything', async () => {
    const { keeper, take } = aKeeper({ record: () => Promise.reject(new Error('full')) })
    take(5, released(false))

    await expect(keeper.close()).resolves.toBeUndefined()
  })
})
