import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PAGE_SIZE_MAX } from '@bourse/contract'
import { isLive, type LedgerView, type Reservation } from '@bourse/domain/ledger'
import { describe, expect, it, onTestFinished } from 'vitest'
import { apiPorts } from '../../../fixtures/http/server/api.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { createReservationList, readListQuery } from './reservation-list.ts'

const rome = { id: 'rome', isOperator: false }
const untimed = <T>(part: () => T) => part()
const released = { phase: 'Released', limit: String(PAGE_SIZE_MAX) }

describe('a list of reservations', () => {
  it('goes on beyond the largest page, to the last one that has ended', async () => {
    const list = await listOfEnded(PAGE_SIZE_MAX + 5)
    const first = await list(readListQuery(released, rome), untimed)

    const next = readListQuery({ ...released, cursor: first.nextCursor ?? '' }, rome)
    const second = await list(next, untimed)

    expect([first.items.length, second.items.length]).toEqual([PAGE_SIZE_MAX, 5])
    expect(second.nextCursor).toBeUndefined()
  })

  it('has one page when everything fits into the largest', async () => {
    const list = await listOfEnded(PAGE_SIZE_MAX)

    const { items, nextCursor } = await list(readListQuery(released, rome), untimed)

    expect([items.length, nextCursor]).toEqual([PAGE_SIZE_MAX, undefined])
  })

  it('has one that moves from memory to the history while the list is made', async () => {
    expect(await idsWhileMoving(ended('rsv-a-1'), 'history')).toEqual(['rsv-a-1'])
  })

  it('has one that ends while the list is made, once', async () => {
    expect(await idsWhileMoving(aReservation('rsv-a-1'), 'memory')).toEqual(['rsv-a-1'])
  })
})

const ended = (id: string) =>
  aReservation(id, { phase: 'Released', reason: 'Expired', endedAt: 5_000 })

/** A list during which a reservation ends and moves to the history, once `after` has answered. */
async function idsWhileMoving(reservation: Reservation, after: 'memory' | 'history') {
  const memory = [reservation]
  const recorded: Reservation[] = []
  const view = {
    requestedBy: () => memory.filter((one) => isLive(one.phase)),
    heldOn: () => [],
    ended: () => memory.filter((one) => !isLive(one.phase)),
  }
  const list = createReservationList({
    // The list reads no more of a view than this.
    writer: { read: async (look) => answered('memory', look(view as unknown as LedgerView, 1)) },
    history: { listEnded: async () => answered('history', [...recorded]) },
  })
  const { items } = await list(readListQuery({ phase: 'Reserved,Released' }, rome), untimed)
  return items.map(({ id }) => id)

  function answered<T>(by: typeof after, answer: T): T {
    if (by === after) for (const { id } of memory.splice(0)) recorded.push(ended(id))
    return answer
  }
}

async function listOfEnded(count: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-list-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const crash = (cause: Error) => {
    throw cause
  }
  const { history, close } = await openSqliteStore({ dataDir, crash })
  onTestFinished(close)
  const all = Array.from({ length: count }, (_, nth) => ended(`rsv-${nth}`))
  await history.record({ through: 1, decisions: [], ended: all, tombstones: [] })
  const { ports } = await apiPorts()
  return createReservationList({ writer: ports.writer, history })
}
