import { describe, expect, it } from 'vitest'
import {
  createMemoryBacking,
  createMemoryJournal,
} from '../../../fixtures/store/memory/memory-journal.ts'
import { aBatch, appendSome, collect } from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../../store/codec/batch.ts'
import type { Appended, Journal, SealedBatch } from '../../store/port/journal.ts'
import { beginTerm } from './begin-term.ts'

describe('beginTerm', () => {
  it('founds an empty ledger', async () => {
    const { journal, term } = aSharedJournal()

    await beginTerm(term())

    const [first] = await collect(journal.read(1))
    expect(first?.text).toContain('"kind":"founded"')
  })

  it('founds nothing where a ledger was before', async () => {
    const { journal, term } = aSharedJournal()
    const mayFound = () => Promise.reject(new Error('The store held a ledger'))

    await expect(beginTerm({ ...term(), mayFound })).rejects.toThrow('held a ledger')

    expect((await journal.head()).index).toBe(0)
  })

  it('writes nothing where the journal has lost what was read from it', async () => {
    const { journal, term } = aSharedJournal()
    const ours = term(await appendSome(journal, 3, 'other'))
    const mayLead = () => Promise.reject(new Error('an older copy'))

    await expect(beginTerm({ ...ours, mayLead })).rejects.toThrow('an older copy')

    expect((await journal.head()).index).toBe(3)
  })

  it('writes an empty batch, so that an earlier leader cannot commit', async () => {
    const { journal, term } = aSharedJournal()
    const seenByOther = await appendSome(journal, 3, 'other')
    const ours = term(seenByOther)

    await beginTerm(ours)

    expect(ours.replica.head().index).toBe(4)
    const late = await journal.append(aBatch(seenByOther, { writer: 'other' }))
    expect(late).toEqual({ kind: 'fenced', by: 'us' })
  })

  it('takes along what was committed while it was being elected', async () => {
    const { journal, term } = aSharedJournal()
    const ours = term(await appendSome(journal, 3, 'other'))
    await appendSome(journal, 2, 'other')

    await beginTerm(ours)

    expect(ours.replica.head().index).toBe(6)
  })

  it('writes nothing where no other broker can write', async () => {
    const { journal, term } = aSharedJournal()
    const { follow: _, ...alone } = journal

    await beginTerm({ ...term(await appendSome(journal, 3)), journal: alone })

    expect((await journal.head()).index).toBe(3)
  })

  it('sends the same bytes again until it knows', async () => {
    const { journal, term } = aSharedJournal()
    const sent: string[] = []
    const unsure = async (batch: SealedBatch): Promise<Appended> => {
      sent.push(batch.hash)
      const appended = await journal.append(batch)
      return sent.length === 1 ? { kind: 'unknown', cause: new Error('lost') } : appended
    }

    await beginTerm({ ...term(), journal: { ...journal, append: unsure } })

    expect(new Set(sent).size).toBe(1)
    expect((await journal.head()).index).toBe(1)
  })
})

/** Replica that only count, on a journal that others write to as well. */
function aSharedJournal() {
  const memory = createMemoryJournal(createMemoryBacking())
  const journal: Journal = { ...memory, follow: (from) => memory.read(from) }
  const term = (seen = NO_HEAD) => {
    let head = seen
    const take = ({ index, hash }: SealedBatch) => {
      head = { index, hash }
    }
    const catchUp = async () => {
      for await (const batch of journal.read(head.index + 1)) take(batch)
    }
    return {
      journal,
      replica: { head: () => head, take, catchUp, ledger: { ledgerId: 'ours' } },
      writerId: 'us',
      mayFound: async () => {},
      mayLead: async () => {},
      now: () => 1_000,
    }
  }
  return { journal, term }
}
