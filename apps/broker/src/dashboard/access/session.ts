import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Judgement, TokenGuesses } from './token-guesses.ts'

const SESSION_MS = 12 * 60 * 60 * 1_000
const COOKIE = 'bourse-dashboard'
const STANDINGS: Readonly<Record<Judgement, Standing>> = {
  right: 'signedIn',
  wrongToken: 'stranger',
  tooManyTries: 'tooManyTries',
}

export type Sessions = ReturnType<typeof createSessions>
type Credentials = Readonly<{ cookie?: string | undefined; authorization?: string | undefined }>
type From = Readonly<{ address: string; isEncrypted: boolean }>
export type Standing = 'signedIn' | 'stranger' | 'tooManyTries'
export type SignIn =
  | Readonly<{ kind: 'welcome'; setCookie: string }>
  | Readonly<{ kind: Exclude<Judgement, 'right'> }>
type Ports = Readonly<{ now(): number; guesses: TokenGuesses }>

/** Sessions without memory: the cookie is an end time signed with the token; restarts keep it. */
export function createSessions(token: string, { now, guesses }: Ports) {
  return {
    /** By cookie, or by `Authorization: Bearer`. */
    async check({ cookie, authorization }: Credentials, address: string): Promise<Standing> {
      // Checked first: a signed-in browser is not slowed down by guesses from its address.
      if (isValid(cookieValue(cookie))) return 'signedIn'
      const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
      if (bearer === undefined) return 'stranger'
      const judgement = await guesses.judge(address, () => isSame(bearer, token))
      return STANDINGS[judgement]
    },

    /** The Set-Cookie of a new session; `isEncrypted` keeps it off plain HTTP from then on. */
    async signIn(given: string, { address, isEncrypted }: From): Promise<SignIn> {
      const judgement = await guesses.judge(address, () => isSame(given, token))
      if (judgement === 'right') return { kind: 'welcome', setCookie: newCookie(isEncrypted) }
      return { kind: judgement }
    },
  }

  function newCookie(isEncrypted: boolean): string {
    const endsAt = Math.floor(now() + SESSION_MS)
    const attributes = `Path=/; Max-Age=${SESSION_MS / 1_000}; HttpOnly; SameSite=Strict`
    return `${COOKIE}=${endsAt}.${sign(endsAt)}; ${attributes}${isEncrypted ? '; Secure' : ''}`
  }

  function isValid(value: string | undefined): boolean {
    const [endsAt, signature] = (value ?? '').split('.')
    if (endsAt === undefined || signature === undefined || !/^\d{1,16}$/.test(endsAt)) return false
    return isSame(signature, sign(Number(endsAt))) && Number(endsAt) > now()
  }

  function sign(endsAt: number): string {
    return createHmac('sha256', token).update(`dashboard session ${endsAt}`).digest('hex')
  }
}

function cookieValue(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
}

/** In constant time, for any two lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
