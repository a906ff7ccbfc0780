import { isIPv6 } from 'node:net'

export type TokenGuesses = ReturnType<typeof createTokenGuesses>
/** `tooManyTries`: the token was not compared. */
export type Judgement = 'right' | 'wrongToken' | 'tooManyTries'
type Ports = Readonly<{
  now(): number
  pause(ms: number): Promise<void>
  /** For the metrics. */
  guessed?: ((how: Exclude<Judgement, 'right'>) => void) | undefined
}>
type Guesser = { failures: number; since: number; waiting: number }

/** Failures are forgotten after this time. */
const REMEMBERED_MS = 60_000
/** An operator mistypes a few times. */
const FREE_FAILURES = 10
/** From then on each try of that address takes this long, and only so many run at a time. */
const SLOWED_MS = 3_000
const SLOWED_AT_ONCE = 8
/** So many wrong tokens a minute from all addresses are an attack: then every try is slowed. */
const FAILURES_IN_ALL = 200
const SLOWED_IN_ALL_MS = 500
const GUESSERS_MAX = 10_000
export const RETRY_AFTER_SECONDS = SLOWED_MS / 1_000

/**
 * Slows guesses of the token, by form or by header, and never locks out the operator: the right
 * token always works, after a pause if its address has guessed before.
 */
export function createTokenGuesses({ now, pause, guessed }: Ports) {
  const guessers = new Map<string, Guesser>()
  const all: Guesser = { failures: 0, since: now(), waiting: 0 }

  return { judge }

  async function judge(address: string, isRight: () => boolean): Promise<Judgement> {
    const guesser = guesserAt(networkOf(address))
    const isSlowed = recent(guesser).failures >= FREE_FAILURES
    if (isSlowed && guesser.waiting >= SLOWED_AT_ONCE) return told('tooManyTries')
    if (isSlowed) await waitIn(guesser, SLOWED_MS)
    else if (recent(all).failures >= FAILURES_IN_ALL) await waitIn(all, SLOWED_IN_ALL_MS)
    if (isRight()) return 'right'
    recent(guesser).failures += 1
    recent(all).failures += 1
    return told('wrongToken')
  }

  function told(judgement: Exclude<Judgement, 'right'>): Judgement {
    guessed?.(judgement)
    return judgement
  }

  async function waitIn(line: Guesser, ms: number): Promise<void> {
    line.waiting += 1
    await pause(ms).finally(() => {
      line.waiting -= 1
    })
  }

  function guesserAt(network: string): Guesser {
    const known = guessers.get(network)
    if (known) return known
    if (guessers.size >= GUESSERS_MAX) forgetSome()
    const guesser = { failures: 0, since: now(), waiting: 0 }
    guessers.set(network, guesser)
    return guesser
  }

  function recent(guesser: Guesser): Guesser {
    if (now() - guesser.since < REMEMBERED_MS) return guesser
    guesser.since = now()
    guesser.failures = 0
    return guesser
  }

  /** First those that have nothing to remember; if all have, the oldest. */
  function forgetSome(): void {
    for (const [network, guesser] of guessers)
      if (recent(guesser).failures === 0 && guesser.waiting === 0) guessers.delete(network)
    for (const network of guessers.keys()) {
      if (guessers.size < GUESSERS_MAX) return
      guessers.delete(network)
    }
  }
}

/** A host with one IPv6 address can use 2^64 of them. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}
