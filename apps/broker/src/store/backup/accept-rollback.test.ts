import { createLedger } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { createMemoryNotes } from '../../../fixtures/store/memory/memory-notes.ts'
import { collect } from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD, sealBatch } from '../codec/batch.ts'
import { REPLAY_SETTINGS } from '../opening/store-place.ts'
import { replay } from '../replay/replay.ts'
import { acceptIn } from './accept-rollback.ts'

/** A ledger from the year 2100, by a clock that was wrong. */
const LATER = 4_102_444_800_000

async function aLedger() {
  const journal = createMemoryJournal()
  const notes = createMemoryNotes()
  const founded = { kind: 'founded', at: LATER, ledgerId: 'before' } as const
  const place = { index: 1, writer: 'test', previous: NO_HEAD.hash, at: LATER }
  await journal.append(sealBatch({ ...place, events: [founded] }))
  return { journal, notes }
}

describe('acceptIn', () => {
  it('goes on under a new ledger id, after the last batch and moment, and drops the note', async () => {
    const target = await aLedger()
    await target.notes.write('rolled-back', '{"ledgerId":"before"}')

    const accepted = await acceptIn(target)

    const ledger = createLedger(REPLAY_SETTINGS)
    const { head, lastAt } = await replay({ journal: target.journal, ledger })
    expect(accepted).toEqual({ head, from: 'before', ledgerId: ledger.ledgerId })
    expect(ledger.ledgerId).not.toBe('before')
    expect([head.index, lastAt]).toEqual([2, LATER])
    const [, founding] = await collect(target.journal.read(1))
    expect(founding?.text).toMatch(/"by":"operator:.+@accept-rollback"/)
    expect(await target.notes.read('rolled-back')).toBeUndefined()
  })

  it('accepts a note that cannot be read', async () => {
    const target = await aLedger()
    await target.notes.write('rolled-back', '{"ledger')

    expect(await acceptIn(target)).toMatchObject({ from: 'before', head: { index: 2 } })
  })

  it('founds nothing a second time when it was cut short after the founding', async () => {
    const target = await aLedger()
    await target.notes.write('rolled-back', '{"ledgerId":"before"}')
    const cut = { ...target.notes, remove: () => Promise.reject(new Error('killed')) }
    await acceptIn({ ...target, notes: cut }).catch(() => {})

    await expect(acceptIn(target)).rejects.toThrow('nothing to accept')

    expect((await target.journal.head()).index).toBe(2)
    expect(await target.notes.read('rolled-back')).toBeUndefined()
  })

  it('lets one of two operators found, and tells the other', async () => {
    const target = await aLedger()
    await target.notes.write('rolled-back', '{"ledgerId":"before"}')

    const both = await Promise.allSettled([acceptIn(target), acceptIn(target)])

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await target.journal.head()).index).toBe(2)
  })

  it('changes nothing where nothing says that the store is an older copy', async () => {
    const target = await aLedger()

    await expect(acceptIn(target)).rejects.toThrow('nothing to accept')

    expect((await target.journal.head()).index).toBe(1)
  })
})
