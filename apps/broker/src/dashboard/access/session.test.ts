import { describe, expect, it } from 'vitest'
import { createSessions, type SignIn } from './session.ts'
import { createTokenGuesses } from './token-guesses.ts'

const TOKEN = 'correct horse battery'
const HOUR = 3_600_000
const HERE = '10.0.0.1'
const plain = { address: HERE, isEncrypted: false }

function sessionsAt(now: () => number, token = TOKEN) {
  return createSessions(token, { now, guesses: createTokenGuesses({ now, pause: async () => {} }) })
}
const sessionsNow = (token?: string) => sessionsAt(() => 0, token)
const signedIn = async (sessions = sessionsNow()) => cookieOf(await sessions.signIn(TOKEN, plain))

function cookieOf(answer: SignIn): string {
  return answer.kind === 'welcome' ? (answer.setCookie.split(';')[0] ?? '') : answer.kind
}

describe('sessions', () => {
  it('the token signs in, and its cookie is kept from scripts and other sites', async () => {
    const sessions = sessionsNow()

    const answer = await sessions.signIn(TOKEN, plain)

    expect(answer).toMatchObject({
      kind: 'welcome',
      setCookie: expect.stringMatching(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    })
    const cookie = `other=1; ${cookieOf(answer)}`
    expect(await sessions.check({ cookie }, HERE)).toBe('signedIn')
  })

  it('the cookie neither is nor holds the token', async () => {
    expect(await signedIn()).not.toContain('horse')
  })

  it('over TLS the cookie never travels in the clear', async () => {
    const answer = await sessionsNow().signIn(TOKEN, { address: HERE, isEncrypted: true })

    expect(answer).toMatchObject({ setCookie: expect.stringMatching(/; Secure$/) })
  })

  it('a session ends after twelve hours and outlives a restart until then', async () => {
    const cookie = await signedIn()

    const before = await sessionsAt(() => 11 * HOUR).check({ cookie }, HERE)
    const after = await sessionsAt(() => 12 * HOUR).check({ cookie }, HERE)

    expect([before, after]).toEqual(['signedIn', 'stranger'])
  })

  it.each([
    { name: 'nothing', headers: {} },
    { name: 'a cookie with a later end', headers: { cookie: 'bourse-dashboard=99999999.00ff' } },
    { name: 'a cookie of another kind', headers: { cookie: 'bourse-dashboard=x' } },
    { name: 'another token', headers: { authorization: 'Bearer incorrect' } },
    { name: 'another scheme', headers: { authorization: `Basic ${TOKEN}` } },
  ])('$name does not sign in', async ({ headers }) => {
    expect(await sessionsNow().check(headers, HERE)).toBe('stranger')
  })

  it('a bearer token is good without a cookie', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }

    expect(await sessionsNow().check(headers, HERE)).toBe('signedIn')
  })

  it('a new token ends the sessions of the old one', async () => {
    const cookie = await signedIn()

    const standing = await sessionsNow('another token entirely').check({ cookie }, HERE)

    expect(standing).toBe('stranger')
  })

  it('wrong tokens by header count as those by form do', async () => {
    const pauses: number[] = []
    const now = () => 0
    const pause = async (ms: number) => void pauses.push(ms)
    const sessions = createSessions(TOKEN, { now, guesses: createTokenGuesses({ now, pause }) })
    const guess = { authorization: 'Bearer guess' }

    for (let tries = 0; tries < 5; tries += 1) await sessions.check(guess, HERE)
    for (let tries = 0; tries < 5; tries += 1) await sessions.signIn('guess', plain)
    await sessions.check(guess, HERE)
    await sessions.signIn('guess', plain)

    expect(pauses).toEqual([3_000, 3_000])
  })

  it('a session goes on at once while others guess from the same address', async () => {
    const now = () => 0
    const never = () => new Promise<void>(() => {})
    const guesses = createTokenGuesses({ now, pause: never })
    const sessions = createSessions(TOKEN, { now, guesses })
    const cookie = await signedIn(sessions)
    for (let tries = 0; tries < 10; tries += 1) await sessions.signIn('guess', plain)
    for (let tries = 0; tries < 8; tries += 1) void sessions.signIn('guess', plain)

    const headers = { cookie, authorization: 'Bearer guess' }

    expect(await sessions.check(headers, HERE)).toBe('signedIn')
    expect(await sessions.signIn(TOKEN, plain)).toEqual({ kind: 'tooManyTries' })
  })
})
