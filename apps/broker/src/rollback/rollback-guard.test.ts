import { randomBytes, createHmac as standardHmac } from 'node:crypto'
import { parseProof, proofText, seenText } from '@bourse/contract/proof'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryNotes } from '../../fixtures/store/memory/memory-notes.ts'
import type { Head } from '../store/port/journal.ts'
import { createHmac, createProofs, KEY_BYTES, openKey } from './proofs.ts'
import { createRollbackGuard, readRollback } from './rollback-guard.ts'

const LEDGER = 'ledger-1'
const KEY = randomBytes(KEY_BYTES)
const hashOf = (index: number, history = 'a') => `${history}${index}`.padEnd(64, '0')
const headAt = (index: number, history = 'a'): Head => ({ index, hash: hashOf(index, history) })
const seenAt = (head: Head, { ledger = LEDGER, key = KEY } = {}) =>
  seenText(ledger, createProofs(ledger, key).of(head))

/** A store that ends at an index, of which `known` batches were committed by this start. */
async function aGuard({ end = 10, known = 3, notes = createMemoryNotes() } = {}) {
  let told = 0
  const read: number[] = []
  let head = headAt(end - known)
  let at = 0
  const guard = createRollbackGuard(
    {
      ledgerId: LEDGER,
      notes,
      proofs: createProofs(LEDGER, KEY),
      head: () => head,
      hashAt: async (index) => {
        read.push(index)
        return hashOf(index)
      },
      monotonic: () => at,
      onRollback: () => {
        told++
      },
      onNoteLost: () => {},
    },
    await readRollback(notes),
  )
  const commit = (index: number) => {
    head = headAt(index)
    guard.committed()
  }
  for (let index = end - known + 1; index <= end; index++) commit(index)
  const later = (ms: number) => {
    at += ms
  }
  return { ...guard, told: () => told, read, commit, later, notes }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the rollback guard', () => {
  it('proves the newest commit, and knows its own proof again', async () => {
    const { proof, judge, commit, told } = await aGuard()

    expect(parseProof(proof())).toMatchObject({ index: 10 })
    commit(11)

    expect(parseProof(proof())).toMatchObject({ index: 11 })
    expect(judge(seenText(LEDGER, proof()))).toBe('fine')
    expect(told()).toBe(0)
  })

  it('stops when a proof of ours lies beyond the head, once and for the next start, too', async () => {
    const { judge, trouble, told, notes } = await aGuard()

    expect(judge(seenAt(headAt(40)))).toBe('fine')
    expect(judge(seenAt(headAt(41)))).toBe('fine')

    expect(trouble()).toContain('had reached index 40, and this store ended at 10')
    expect(trouble()).toContain('`bourse ledger accept-rollback`')
    expect(trouble('accept-rollback --data-dir D')).toContain('`accept-rollback --data-dir D`')
    expect(told()).toBe(1)
    const restarted = await aGuard({ notes })
    expect(restarted.trouble()).toBe(trouble())
    expect(restarted.told()).toBe(0)
  })

  it('stops when a proof of ours names another batch than the one that is here', async () => {
    const { judge, trouble } = await aGuard()

    judge(seenAt(headAt(9, 'b')))

    expect(trouble()).toContain('batch 9 of this ledger differs from the one')
  })

  it('compares a proof from before this start with the journal', async () => {
    const { judge, trouble, read, later } = await aGuard()

    judge(seenAt(headAt(2)))
    await settled()
    expect(trouble()).toBeUndefined()
    later(1_000)
    judge(seenAt(headAt(3, 'b')))
    await settled()

    expect(read).toEqual([2, 3])
    expect(trouble()).toContain('batch 3 of this ledger differs from the one')
  })

  it('reads the journal for few of many old proofs, and for none that is not ours', async () => {
    const { judge, read, later } = await aGuard()

    judge(seenAt(headAt(1), { key: randomBytes(KEY_BYTES) }))
    later(1_000)
    for (let nth = 0; nth < 1_000; nth++) judge(seenAt(headAt(1 + (nth % 6))))
    await settled()

    expect(read).toEqual([1])
  })

  it('forgets the note of a ledger that is another one by now', async () => {
    const notes = createMemoryNotes()
    const noted = { ledgerId: 'before', provenIndex: 9, headIndex: 1, found: 'beyond-head' }
    await notes.write('rolled-back', JSON.stringify(noted))

    expect((await aGuard({ notes })).trouble()).toBeUndefined()
  })

  it('does not sell on where the note cannot be read', async () => {
    const notes = createMemoryNotes()
    await notes.write('rolled-back', '{"ledger')

    await expect(aGuard({ notes })).rejects.toThrow('older copy')
  })

  it.each([
    { name: 'a forged mac', seen: `${LEDGER}/40.${'a'.repeat(16)}.${'A'.repeat(22)}` },
    { name: 'a key of another store', seen: seenAt(headAt(40), { key: randomBytes(KEY_BYTES) }) },
    {
      name: 'a true proof with another number',
      seen: seenAt(headAt(9)).replace('/9.', '/40.'),
    },
  ])('refuses what lies beyond the head with $name, and sells on', async ({ seen }) => {
    const { judge, trouble, told, unprovenCount } = await aGuard()

    expect(judge(seen)).toBe('unproven')

    expect(trouble()).toBeUndefined()
    expect(told()).toBe(0)
    expect(unprovenCount()).toBe(1)
  })

  it('refuses 2^53, which is no index', async () => {
    const { judge, trouble } = await aGuard()

    expect(judge(`${LEDGER}/${2 ** 53}.${'a'.repeat(16)}.${'A'.repeat(22)}`)).toBe('malformed')

    expect(trouble()).toBeUndefined()
  })

  it('ignores what is of another ledger, also a true proof', async () => {
    const { judge, trouble } = await aGuard()

    expect(judge(seenAt(headAt(4_000), { ledger: 'another' }))).toBe('fine')

    expect(trouble()).toBeUndefined()
  })

  it('is never stopped by anything that this ledger did not prove', async () => {
    const { judge, trouble } = await aGuard()
    const parts = fc.record({
      index: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
      hash: fc.stringMatching(/^[0-9a-f]{16}$/),
      mac: fc.stringMatching(/^[\w-]{22}$/),
    })

    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          parts.map((one) => seenText(LEDGER, proofText(one))),
        ),
        (seen) => {
          judge(seen)
          expect(trouble()).toBeUndefined()
        },
      ),
    )
  })
})

describe('the HMAC of proofs', () => {
  it('is the one of the standard', () => {
    const text = fc.string({ maxLength: 16 })
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        text,
        text,
        (key, prefix, rest) => {
          const expected = standardHmac('sha256', key)
            .update(prefix + rest)
            .digest('base64url')

          expect(createHmac(Buffer.from(key), prefix)(rest)).toBe(expected)
        },
      ),
    )
  })
})

describe('the key of a ledger', () => {
  it('is made once', async () => {
    const notes = createMemoryNotes()

    const made = await openKey(notes)

    expect(made).toHaveLength(KEY_BYTES)
    expect(await openKey(notes)).toEqual(made)
  })

  it('is not used when it is damaged', async () => {
    const notes = createMemoryNotes()
    await notes.write('proof-key', 'abc')

    await expect(openKey(notes)).rejects.toThrow('is damaged')
  })
})
