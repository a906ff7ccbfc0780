import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PAGE_SIZE_MAX } from '@bourse/contract'
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
})

async function listOfEnded(count: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-list-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const crash = (cause: Error) => {
    throw cause
  }
  const { history, close } = await openSqliteStore({ dataDir, crash })
  onTestFinished(close)
  const ended = Array.from({ length: count }, (_, nth) =>
    aReservation(`rsv-${nth}`, { phase: 'Released', reason: 'Expired', endedAt: 5_000 }),
  )
  await history.record({ through: 1, decisions: [], ended, tombstones: [] })
  const { ports } = await apiPorts()
  return createReservationList({ writer: ports.writer, history })
}
