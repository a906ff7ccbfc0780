import type { Command } from '@bourse/domain/ledger'
import { expect, it } from 'vitest'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { createRequestMemory } from './request-memory.ts'

const ended = aReservation('rsv-1', { phase: 'Released', endedAt: 5_000, requestId: 'r1' })

const reserve = (requestId?: string): Command => ({
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu: 1n },
  priority: 0,
  ...(requestId !== undefined && { requestId }),
})

async function aMemory() {
  const history = createMemoryHistory()
  await history.record({ through: 1, decisions: [], ended: [ended], tombstones: [] })
  return createRequestMemory(history)
}

it('recalls, after a restart, what a request id led to', async () => {
  const memory = await aMemory()
  await memory.refresh()

  expect(await memory.recall(reserve('r1'))).toEqual({ kind: 'granted', reservation: ended })
})

it('recalls what was noted since', async () => {
  const memory = await aMemory()
  await memory.note([{ door: 'rest', requester: 'rome', requestId: 'r1' }])

  expect(await memory.recall(reserve('r1'))).toEqual({ kind: 'granted', reservation: ended })
})

it.each([
  { name: 'a fresh request id', command: reserve('fresh') },
  { name: 'no request id', command: reserve() },
  { name: 'a command without one', command: { kind: 'tick' } as const },
])('does not ask the disk about $name', async ({ command }) => {
  const memory = await aMemory()
  await memory.refresh()

  expect(memory.recall(command)).toBeUndefined()
})
