import type { PeeringSession } from '@bourse/contract'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { createSessions, type Pair } from './sessions.ts'

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

function someSessions() {
  const clock = steppedClock()
  const changed: string[] = []
  const onChange = ({ role, peer }: Pair) => changed.push(`${role} ${peer}`)
  return { sessions: createSessions({ clusterId: 'rome', clock, onChange }), changed, clock }
}

describe('the sessions of a cluster', () => {
  it('tells which pair changed, from this cluster on', () => {
    const { sessions, changed } = someSessions()
    const fromBerlin = aSession({ id: 'ps-2', requesterID: 'berlin', providerID: 'rome' })

    sessions.take([aSession(), fromBerlin])
    sessions.take([answered, fromBerlin])
    sessions.take([answered])

    expect(changed).toEqual([
      ...['requester paris', 'provider berlin'],
      'requester paris',
      'provider berlin',
    ])
  })

  it('keeps our own word against an answer that was under way', () => {
    const { sessions } = someSessions()
    sessions.take([aSession()])

    sessions.note(answered)
    sessions.take([aSession()])

    expect(sessions.find(toParis)).toBe(answered)
  })

  it('believes the broker once it knows what we said', () => {
    const { sessions } = someSessions()
    const further = { ...answered, state: 'established' } as const
    sessions.note(answered)

    sessions.take([further])

    expect(sessions.find(toParis)).toBe(further)
  })

  it('believes the broker at once that another session has begun', () => {
    const { sessions } = someSessions()
    const later = aSession({ id: 'ps-2', openedAt: '2026-01-01T00:00:02.000Z' })
    sessions.note(answered)

    sessions.take([later])

    expect(sessions.find(toParis)).toBe(later)
  })

  it('forgets a session that is gone, and not the one that has replaced it', () => {
    const { sessions } = someSessions()
    const later = aSession({ id: 'ps-2', openedAt: '2026-01-01T00:00:02.000Z' })
    sessions.take([later])

    sessions.forget(aSession())

    expect(sessions.find(toParis)).toBe(later)
    sessions.forget(later)
    expect(sessions.find(toParis)).toBeUndefined()
  })

  it('believes the broker in the end, also that a session is gone', async () => {
    const { sessions, clock } = someSessions()
    sessions.note(answered)

    await clock.advance(5_001)
    sessions.take([])

    expect(sessions.find(toParis)).toBeUndefined()
  })
})
