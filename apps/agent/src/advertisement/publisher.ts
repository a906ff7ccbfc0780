import type { BrokerCommunicator, Published, Stamp } from '@bourse/client'
import { backoffMs, type Clock, pause, systemClock } from '@bourse/kube'
import type { Log } from '../runtime/log.ts'
import type { Advertised } from './compose-advertisement.ts'

/** The state of publishing, for the local Advertisement, readiness and metrics. */
export type Publishing = Readonly<{
  /** The last accepted advertisement; absent: none yet. */
  accepted?: Readonly<{
    advertised: Advertised
    at: number
    /** Why the broker does not count the prices in it, if it does not. */
    unpriced?: string | undefined
  }>
  /** Why the current measurement is not published. */
  failure?: Readonly<{ message: string; since: number; attempts: number }>
}>

export type PublisherPorts = Readonly<{
  broker: Pick<BrokerCommunicator, 'publishAdvertisement'>
  /** The current advertisement; undefined: nothing is measured yet. */
  compose(): Advertised | undefined
  seenIndex(): number | undefined
  /** The broker keeps holding what ended at this index until we report to have seen it. */
  lastEnding(): number | undefined
  /** The answer also carries instructions. */
  accepted(published: Published): void
  /** After each attempt. */
  attempted(outcome: Readonly<{ isOk: boolean; durationMs: number }>): void
  /** After each change of `state`. */
  changed(): void
  log: Log
  requeueMs: number
  clock?: Clock
}>

type Leader = Pick<Stamp, 'ledgerId' | 'term'>

export type Publisher = {
  start(): void
  /** Something may have changed: compose again soon and compare. */
  poke(): void
  /** Publishes at once to another ledger or another leader. */
  heardFrom(leader: Leader): void
  state(): Publishing
  /** Publishes no more; a running attempt ends with its connection. */
  stop(): void
}

/** contract: changes are published within 500 ms; a watch may take 100. Changes come in groups. */
const QUIET_MS = 100
const SETTLE_MAX_MS = 350
const BACKOFF = { baseMs: 500, capMs: 30_000 }
/** Heartbeats must not coincide: each comes up to this much earlier, never later. */
const JITTER = 0.1
/** A constant abort reason: the default creates an exception for each change of a pod. */
const POKED = 'poked'
/** The longest a timer can wait. */
const UNTIL_POKED_MS = 2 ** 31 - 1

/**
 * ```
 *   poke ──► wait until quiet (100 ms, at most 350) ──► same as accepted? ── yes ──► wait
 *                                                          │ no
 *   requeue interval − 0…10 % ─────────────────────────► publish ──► accepted
 *                                                          ▲  │ failed
 *                                                          └──┴─ pause, longer each time
 * ```
 */
export function createPublisher(ports: PublisherPorts): Publisher {
  const { log, requeueMs, clock = systemClock } = ports
  const stopping = new AbortController()
  let waking = new AbortController()
  let isPoked = true
  let isStarted = false
  let dueAt = 0
  let told: Leader | undefined
  let isUrgent = false
  let confirmedIndex = -1
  let ignored = ''
  let state: Publishing = {}

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (isPoked && !isUrgent) await settle()
      const advertised = ports.compose()
      const isDue = isUrgent || clock.monotonic() >= dueAt
      isPoked = false
      isUrgent = false
      if (advertised && (isDue || (hasToTell(advertised) && !state.failure)))
        await publish(advertised)
      if (!isPoked && !isUrgent)
        await sleep(advertised ? dueAt - clock.monotonic() : UNTIL_POKED_MS)
    }
  }

  /** Collects several changes into one publication. The very first does not wait. */
  async function settle(): Promise<void> {
    const latest = clock.monotonic() + SETTLE_MAX_MS
    while (isPoked && state.accepted && !stopping.signal.aborted) {
      isPoked = false
      const restMs = latest - clock.monotonic()
      if (restMs > 0) await pause(clock, Math.min(QUIET_MS, restMs), stopping.signal)
    }
  }

  /** The broker may wait for us to confirm an ending even if the numbers are unchanged. */
  function hasToTell(advertised: Advertised): boolean {
    const endedAt = ports.lastEnding() ?? -1
    const isAwaited = endedAt > confirmedIndex && endedAt <= (ports.seenIndex() ?? -1)
    return isAwaited || isNews(advertised)
  }

  function isNews(advertised: Advertised): boolean {
    return JSON.stringify(advertised) !== JSON.stringify(state.accepted?.advertised)
  }

  async function publish(advertised: Advertised): Promise<void> {
    const startedAt = clock.monotonic()
    const seenIndex = ports.seenIndex()
    const timestamp = new Date(clock.now()).toISOString()
    const body = { ...advertised, timestamp, ...(seenIndex !== undefined && { seenIndex }) }
    const outcome = await ports.broker.publishAdvertisement(body).then(
      (published) => ({ published }),
      (error: Error) => ({ error }),
    )
    if (stopping.signal.aborted) return
    const durationMs = clock.monotonic() - startedAt
    ports.attempted({ isOk: 'published' in outcome, durationMs })
    if ('error' in outcome) fail(outcome.error)
    else {
      confirmedIndex = seenIndex ?? confirmedIndex
      succeed(advertised, outcome.published)
    }
  }

  function succeed(advertised: Advertised, published: Published): void {
    const { accepted, failure } = state
    if (failure)
      log.info({ attempts: failure.attempts }, 'the broker accepts our advertisement again')
    else if (!accepted) log.info('advertisement published')
    tellIgnored(published.ignored ?? [])
    // The Go original answers without a status.
    const unpriced = published.advertisement?.status?.unpriced
    const isOtherPrice = unpriced !== accepted?.unpriced
    if (isOtherPrice && unpriced !== undefined) log.warn(`the broker says: ${unpriced}`)
    const isChange = isNews(advertised) || failure !== undefined || isOtherPrice
    // A mere heartbeat is not shown: objects are written on change only.
    if (isChange) state = { accepted: { advertised, at: clock.now(), unpriced } }
    told = published
    dueAt = clock.monotonic() + requeueMs * (1 - JITTER * clock.random())
    ports.accepted(published)
    if (isChange) ports.changed()
  }

  /** Every answer has them; the log has them once. */
  function tellIgnored(fields: readonly string[]): void {
    const before = ignored
    ignored = fields.join(', ')
    if (ignored !== '' && ignored !== before)
      log.warn({ ignored: fields }, 'the broker does not know all that we advertise: it is older')
  }

  function fail(error: Error): void {
    const { attempts = 0, since = clock.now() } = state.failure ?? {}
    const pauseMs = backoffMs(attempts + 1, BACKOFF, clock.random())
    dueAt = clock.monotonic() + pauseMs
    if (error.message !== state.failure?.message)
      log.warn({ fault: error.name, pauseMs }, `not published: ${error.message}`)
    state = { ...state, failure: { message: error.message, since, attempts: attempts + 1 } }
    ports.changed()
  }

  async function sleep(durationMs: number): Promise<void> {
    waking = new AbortController()
    if (!stopping.signal.aborted) await pause(clock, Math.max(0, durationMs), waking.signal)
  }

  return {
    start() {
      if (!isStarted) void run()
      isStarted = true
    },
    poke() {
      isPoked = true
      // After a failure the pause counts: a failing broker is not called faster.
      if (!state.failure) waking.abort(POKED)
    },
    heardFrom(leader) {
      const { ledgerId, term } = leader
      if (ledgerId === undefined || isSame(leader, told)) return
      const isFirst = told === undefined && !state.accepted
      told = leader
      if (isFirst) return
      log.info({ ledger: ledgerId, term }, 'another broker answers: publishing at once')
      isUrgent = true
      // The pause after a failure was meant for the previous broker.
      waking.abort(POKED)
    },
    state: () => state,
    stop() {
      stopping.abort()
      waking.abort(POKED)
    },
  }
}

function isSame(one: Leader, other: Leader | undefined): boolean {
  return one.ledgerId === other?.ledgerId && one.term === other?.term
}
