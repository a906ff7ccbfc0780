import type { BrokerCommunicator, Published, Stamp } from '@bourse/client'
import { type Clock, pause, systemClock } from '@bourse/kube'
import type { Log } from '../runtime/log.ts'
import type { Advertised } from './compose-advertisement.ts'

/** How publishing stands, for the local Advertisement, readiness and metrics. */
export type Publishing = Readonly<{
  /** What the broker has; absent: nothing of ours yet. */
  accepted?: Readonly<{ advertised: Advertised; at: number }>
  /** Why it does not have what is measured now. */
  failure?: Readonly<{ message: string; since: number; attempts: number }>
}>

export type PublisherPorts = Readonly<{
  broker: Pick<BrokerCommunicator, 'publishAdvertisement'>
  /** What there is to say now; undefined: nothing has been measured yet. */
  compose(): Advertised | undefined
  seenIndex(): number | undefined
  /** The broker waits for us to have seen this index: until then it holds what ended there. */
  lastEnding(): number | undefined
  /** The answer carries instructions, too. */
  accepted(published: Published): void
  /** After each attempt. */
  attempted(outcome: Readonly<{ isOk: boolean; durationMs: number }>): void
  /** After each change of `state`. */
  changed(): void
  log: Log
  requeueMs: number
  clock?: Clock
}>

type Voice = Pick<Stamp, 'ledgerId' | 'term'>

export type Publisher = {
  start(): void
  /** Something may be news: what is composed soon decides. */
  poke(): void
  /** Who answers now: another ledger, or another leader, is told at once what there is. */
  heardFrom(voice: Voice): void
  state(): Publishing
  /** Says nothing more; an attempt under way ends with its connection. */
  stop(): void
}

/** contract: news is published within 500 ms; watches may take 100. A change seldom comes alone. */
const QUIET_MS = 100
const PATIENCE_MS = 350
const BACKOFF = { baseMs: 500, capMs: 30_000 }
/** Signs of life of a federation must not come in step; earlier by so much at most, never later. */
const JITTER = 0.1
/** A reason of our own: the usual one is an exception, made anew for each change of a pod. */
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
  let told: Voice | undefined
  let isUrgent = false
  let confirmedIndex = -1
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

  /** Several changes at once are one piece of news. The very first is not kept waiting. */
  async function settle(): Promise<void> {
    const latest = clock.monotonic() + PATIENCE_MS
    while (isPoked && state.accepted && !stopping.signal.aborted) {
      isPoked = false
      const restMs = latest - clock.monotonic()
      if (restMs > 0) await pause(clock, Math.min(QUIET_MS, restMs), stopping.signal)
    }
  }

  /** What ended by the clock here was news before the broker ended it, and is not afterwards. */
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
      log.info({ attempts: failure.attempts }, 'the broker takes our advertisement again')
    else if (!accepted) log.info('advertisement published')
    const isChange = isNews(advertised) || failure !== undefined
    // Of a sign of life nothing is shown: objects are written on change only.
    if (isChange) state = { accepted: { advertised, at: clock.now() } }
    told = published
    dueAt = clock.monotonic() + requeueMs * (1 - JITTER * clock.random())
    ports.accepted(published)
    if (isChange) ports.changed()
  }

  function fail(error: Error): void {
    const { attempts = 0, since = clock.now() } = state.failure ?? {}
    const ceilingMs = Math.min(BACKOFF.capMs, BACKOFF.baseMs * 2 ** Math.min(attempts, 20))
    const pauseMs = ceilingMs / 2 + (clock.random() * ceilingMs) / 2
    dueAt = clock.monotonic() + pauseMs
    if (error.message !== state.failure?.message)
      log.warn(
        { fault: error.name, pauseMs: Math.round(pauseMs) },
        `not published: ${error.message}`,
      )
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
      // After a failure the pause counts, not the news: a broker in trouble is not asked faster.
      if (!state.failure) waking.abort(POKED)
    },
    heardFrom(voice) {
      const { ledgerId, term } = voice
      if (ledgerId === undefined || isSame(voice, told)) return
      const isFirst = told === undefined && !state.accepted
      told = voice
      if (isFirst) return
      log.info({ ledger: ledgerId, term }, 'another broker answers: advertising at once')
      isUrgent = true
      // That broker is there: a pause after a failure was meant for the one before it.
      waking.abort(POKED)
    },
    state: () => state,
    stop() {
      stopping.abort()
      waking.abort(POKED)
    },
  }
}

function isSame(one: Voice, other: Voice | undefined): boolean {
  return one.ledgerId === other?.ledgerId && one.term === other?.term
}
