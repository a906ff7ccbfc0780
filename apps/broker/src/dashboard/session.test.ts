import { describe, expect, it } from 'vitest'
import { createSessions, type SignIn } from './session.ts'

const TOKEN = 'correct horse battery'
const HOUR = 3_600_000

function cookieOf(answer: SignIn): string {
  return answer.kind === 'welcome' ? (answer.setCookie.split(';')[0] ?? '') : answer.kind
}

describe('sessions', () => {
  it('the token signs in, and its cookie is kept from scripts and other sites', () => {
    const sessions = createSessions(TOKEN, () => 0)

    const answer = sessions.signIn(TOKEN, false)

    expect(answer).toMatchObject({
      kind: 'welcome',
      setCookie: expect.stringMatching(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    })
    expect(sessions.isSignedIn({ cookie: `other=1; ${cookieOf(answer)}` })).toBe(true)
  })

  it('the cookie neither is nor holds the token', () => {
    expect(cookieOf(createSessions(TOKEN, () => 0).signIn(TOKEN, false))).not.toContain('horse')
  })

  it('over TLS the cookie never travels in the clear', () => {
    const answer = createSessions(TOKEN, () => 0).signIn(TOKEN, true)

    expect(answer).toMatchObject({ setCookie: expect.stringMatching(/; Secure$/) })
  })

  it('a session ends after twelve hours and outlives a restart until then', () => {
    const cookie = cookieOf(createSessions(TOKEN, () => 0).signIn(TOKEN, false))

    expect(createSessions(TOKEN, () => 11 * HOUR).isSignedIn({ cookie })).toBe(true)
    expect(createSessions(TOKEN, () => 12 * HOUR).isSignedIn({ cookie })).toBe(false)
  })

  it.each([
    { name: 'nothing', headers: {} },
    { name: 'a cookie with a later end', headers: { cookie: 'bourse-dashboard=99999999.00ff' } },
    { name: 'a cookie of another kind', headers: { cookie: 'bourse-dashboard=x' } },
    { name: 'another token', headers: { authorization: 'Bearer incorrect' } },
    { name: 'another scheme', headers: { authorization: `Basic ${TOKEN}` } },
  ])('$name does not sign in', ({ headers }) => {
    expect(createSessions(TOKEN, () => 0).isSignedIn(headers)).toBe(false)
  })

  it('a bearer token is good without a cookie', () => {
    const headers = { authorization: `Bearer ${TOKEN}` }

    expect(createSessions(TOKEN, () => 0).isSignedIn(headers)).toBe(true)
  })

  it('a new token ends the sessions of the old one', () => {
    const cookie = cookieOf(createSessions(TOKEN, () => 0).signIn(TOKEN, false))

    expect(createSessions('another token entirely', () => 0).isSignedIn({ cookie })).toBe(false)
  })

  it('after ten wrong tokens nobody may try for a minute', () => {
    let now = 0
    const sessions = createSessions(TOKEN, () => now)
    const kinds = Array.from({ length: 10 }, () => sessions.signIn('guess', false).kind)

    const locked = sessions.signIn(TOKEN, false)
    now = 60_001
    const later = sessions.signIn(TOKEN, false)

    expect(kinds).toEqual(Array(10).fill('wrongToken'))
    expect(locked.kind).toBe('tooManyTries')
    expect(later.kind).toBe('welcome')
  })
})
