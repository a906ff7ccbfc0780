import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const SESSION_MS = 12 * 60 * 60 * 1_000
const COOKIE = 'bourse-dashboard'
/** Guessing is pointless at this pace; an operator who mistypes is not kept out for long. */
const FAILURES_MAX = 10
const FAILURES_WINDOW_MS = 60_000

export type Sessions = {
  /** By cookie, or by `Authorization: Bearer`. */
  isSignedIn(
    headers: Readonly<{ cookie?: string | undefined; authorization?: string | undefined }>,
  ): boolean
  /** The Set-Cookie of a new session; `isEncrypted` keeps it off plain HTTP from then on. */
  signIn(token: string, isEncrypted: boolean): SignIn
}
export type SignIn =
  | Readonly<{ kind: 'welcome'; setCookie: string }>
  | Readonly<{ kind: 'wrongToken' }>
  | Readonly<{ kind: 'tooManyTries' }>

/** Sessions without memory: the cookie is an end time signed with the token; restarts keep it. */
export function createSessions(token: string, now: () => number): Sessions {
  let failures: number[] = []

  return {
    isSignedIn({ cookie, authorization }) {
      const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
      if (bearer !== undefined) return isSame(bearer, token)
      return isValid(cookieValue(cookie))
    },

    signIn(given, isEncrypted) {
      failures = failures.filter((at) => at > now() - FAILURES_WINDOW_MS)
      if (failures.length >= FAILURES_MAX) return { kind: 'tooManyTries' }
      if (!isSame(given, token)) {
        failures.push(now())
        return { kind: 'wrongToken' }
      }
      return { kind: 'welcome', setCookie: newCookie(isEncrypted) }
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

/** In constant time, whatever the lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
