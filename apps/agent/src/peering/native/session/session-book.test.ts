import type { PeeringSession } from '@bourse/contract'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { createSessionBook, type Pair } from './session-book.ts'

const aSession = (more: Partial<PeeringSession> = {}): PeeringSession => ({
  id: 'ps-1',
  requesterID: 'rome',
  providerID: 'paris',
  networking: 'none',
  state: 'open',
  messages: { hello: { sealed: 'x', postedAt: '2026-01-01T00:00:00.000Z' } },
  steps: {},
  openedAt: '2026-01-01T00:00:00.000Z',
  ...more,
})
const answered = aSession({
  messages: {
    hello: { sealed: 'x', postedAt: '2026-01-01T00:00:00.000Z' },
    tenant: { sealed: 'y', postedAt: '2026-01-01T00:00:01.000Z' },
  },
})
const toParis: Pair = { role: 'requester', peer: 'paris' }

function aBook() {
  const clock = steppedClock()
  const changed: string[] = []
  const onChange = ({ role, peer }: Pair) => changed.push(`${role} ${peer}`)
  return { book: createSessionBook({ clusterId: 'rome', clock, onChange }), changed, clock }
}

describe('the book of sessions', () => {
  it('tells which pair changed, from this cluster on', () => {
    const { book, changed } = aBook()
    const fromBerlin = aSession({ id: 'ps-2', requesterID: 'berlin', providerID: 'rome' })

    book.take([aSession(), fromBerlin])
    book.take([answered, fromBerlin])
    book.take([answered])

    expect(changed).toEqual([
      ...['requester paris', 'provider berlin'],
      'requester paris',
      'provider berlin',
    ])
  })

  it('keeps our own word against an answer that was under way', () => {
    const { book } = aBook()
    book.take([aSession()])

    book.note(answered)
    book.take([aSession()])

    expect(book.find(toParis)).toBe(answered)
  })

  it('believes the broker once it knows what we said', () => {
    const { book } = aBook()
    const further = { ...answered, state: 'established' } as const
    book.note(answered)

    book.take([further])

    expect(book.find(toParis)).toBe(further)
  })

  it('believes the broker at once that another session has begun', () => {
    const { book } = aBook()
    const later = aSession({ id: 'ps-2', openedAt: '2026-01-01T00:00:02.000Z' })
    book.note(answered)

    book.take([later])

    expect(book.find(toParis)).toBe(later)
  })

  it('forgets a session that is gone, and not the one that has replaced it', () => {
    const { book } = aBook()
    const later = aSession({ id: 'ps-2', openedAt: '2026-01-01T00:00:02.000Z' })
    book.take([later])

    book.forget(aSession())

    expect(book.find(toParis)).toBe(later)
    book.forget(later)
    expect(book.find(toParis)).toBeUndefined()
  })

  it('believes the broker in the end, also that a session is gone', async () => {
    const { book, clock } = aBook()
    book.note(answered)

    await clock.advance(5_001)
    book.take([])

    expect(book.find(toParis)).toBeUndefined()
  })
})
