import assert from 'node:assert/strict'
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { LEASE } from '../objects/kinds.ts'
import type { KubeObject } from '../objects/objects.ts'
import { type Backoff, backoffMs, type Clock, pause, systemClock } from '../time/clock.ts'
import { createLeaseObject, type Held } from './lease-object.ts'

export type LeaderLeaseOptions = Readonly<{
  client: Pick<KubeClient, 'get' | 'create' | 'replace' | 'watch' | 'serverTime'>
  namespace: string
  name: string
  /** Unique to this process: two processes with the same identity would both lead. */
  identity: string
  /** Others may take a lease that was not renewed for this long. Whole seconds. */
  leaseMs: number
  /** We stop leading if we could not renew for this long. Less than `leaseMs`. */
  renewMs: number
  /** Between two attempts to take or renew. Less than `renewMs`. */
  retryMs: number
  /** Our address; standbys name it to their callers. */
  address?: string
  onLead(term: Term): void
  /** A released lease is given up only after this promise has settled. */
  onLost(why: LostWhy): void | Promise<void>
  /** The holder has changed; undefined: the lease is free. */
  onHolder?(holder: Holder | undefined): void
  onTrouble?(error: Error): void
  clock?: Clock
}>

/** The signal fires when the term ends, for any reason. */
export type Term = Readonly<{ transitions: number; signal: AbortSignal }>
export type LostWhy = 'not renewed' | 'taken' | 'released'
export type Holder = Readonly<{ identity: string; address?: string | undefined }>

/** contract: a candidate whose clock differs more from the API server's does not lead. */
const CLOCK_OFF_MAX_MS = 5_000

/**
 * ```
 *  our renewal sent            we stop leading         others may take it
 *        ├──────── renewMs ────────┤                         │
 *        ├──────────────────── leaseMs ──────────────────────┤
 * ```
 * By monotonic time, from the moment before sending: others see that renewal later.
 */
export function createLeaderLease(options: LeaderLeaseOptions) {
  const { identity, renewMs, retryMs, clock = systemClock, onTrouble = () => {} } = options
  checkTimes(options)
  const lease = createLeaseObject(options, clock)
  const stopping = new AbortController()
  let term: { until: number; end: AbortController } | undefined
  let holder: Holder | undefined

  const isLeader = () => term !== undefined && clock.monotonic() < term.until

  async function lead(transitions: number, until: number): Promise<void> {
    const end = new AbortController()
    term = { until, end }
    options.onLead({ transitions, signal: end.signal })
    // Sleep until the end of the term; a renewal extends it meanwhile.
    while (term?.end === end && isLeader())
      await pause(clock, term.until - clock.monotonic(), end.signal)
    if (term?.end === end) await lose('not renewed')
  }

  async function lose(why: LostWhy): Promise<void> {
    const ended = term
    term = undefined
    ended?.end.abort()
    await options.onLost(why)
  }

  function noteHolder(held: Held | undefined): void {
    const next = held?.holder === undefined ? undefined : { ...held.holder }
    if (next?.identity === holder?.identity && next?.address === holder?.address) return
    holder = next
    options.onHolder?.(next)
  }

  async function attempt(): Promise<void> {
    // After a freeze of the process this may run before the timer of the term.
    if (term && !isLeader()) await lose('not renewed')
    const held = term ? await lease.renew() : await candidate()
    noteHolder(held)
    if (held?.sentAt === undefined) {
      if (term) await lose('taken')
      return
    }
    const until = held.sentAt + renewMs
    if (clock.monotonic() >= until || stopping.signal.aborted) return
    if (term) term.until = until
    else lead(held.transitions, until).catch(onTrouble)
  }

  /** Takes the lease if it is free and our clock is right. */
  async function candidate(): Promise<Held | undefined> {
    const held = await lease.look()
    if (held && held.sentAt === undefined && held.freeInMs > 0) return held
    const offMs = clockOffMs(options.client)
    if (offMs > CLOCK_OFF_MAX_MS) throw clockOff(identity, offMs)
    return lease.take()
  }

  let watch: ReturnType<typeof watchLease> | undefined
  let nudge = new AbortController()

  /** A leader needs no watch. */
  function watchWhileStandingBy(): void {
    if (!term && !stopping.signal.aborted)
      watch ??= watchLease({ ...options, clock, onChange: () => nudge.abort() })
    else {
      watch?.stop()
      watch = undefined
    }
  }

  async function run(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      // Before the attempt, so that a change during the attempt counts too.
      nudge = new AbortController()
      watchWhileStandingBy()
      await attempt().catch((thrown: Error) => {
        // Another process was faster, or the lease was deleted: the next attempt sees it.
        if (!wasOvertaken(thrown) && !signal.aborted) onTrouble(thrown)
      })
      const jitteredMs = retryMs * (isLeader() ? 1 : 1 + clock.random() / 5)
      // Wake when the lease becomes free; pause if taking it fails.
      const freeInMs = lease.freeInMs() || jitteredMs
      const isNudged = AbortSignal.any([signal, nudge.signal])
      await pause(clock, Math.min(jitteredMs, freeInMs), isNudged)
    }
    watchWhileStandingBy()
  }

  const running = run()
  return {
    /** True only while no other process can hold the lease: checked by the clock, not a timer. */
    isLeader,
    holder: () => holder,
    /** Releases the lease, so that the next leader need not wait for its end. */
    async stop(): Promise<void> {
      stopping.abort()
      await running
      if (!term) return
      await lose('released')
      await lease.release().catch((thrown: Error) => {
        if (!wasOvertaken(thrown)) onTrouble(thrown)
      })
    },
  }
}

function wasOvertaken(thrown: unknown): boolean {
  return isConflict(thrown) || isAlreadyExists(thrown) || isNotFound(thrown)
}

function checkTimes({ leaseMs, renewMs, retryMs, identity }: LeaderLeaseOptions): void {
  assert(identity !== '', 'a leader lease needs an identity')
  assert(leaseMs % 1_000 === 0 && leaseMs > 0, `a lease lasts whole seconds, not ${leaseMs} ms`)
  assert(
    0 < retryMs && retryMs < renewMs && renewMs < leaseMs,
    `a lease needs retry < renew < lease, not ${retryMs} < ${renewMs} < ${leaseMs} ms`,
  )
}

/** The least by which the clocks differ. */
function clockOffMs(client: Pick<KubeClient, 'serverTime'>): number {
  const time = client.serverTime()
  return time ? Math.abs(time.offsetMs) - time.uncertaintyMs : 0
}

function clockOff(identity: string, offMs: number): KubeError {
  return new KubeError(
    `${identity} does not lead: its clock differs by ${Math.round(offMs / 1_000)} s from the API ` +
      `server's; at most ${CLOCK_OFF_MAX_MS / 1_000} s are allowed. Set the clock.`,
    { reason: 'ClockOff' },
  )
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'watch'>
  namespace: string
  name: string
  clock: Clock
  /** The lease was released, deleted or taken. */
  onChange(): void
}>

const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 }

/**
 * Reports at once when a lease changes hands. Only a hint: the candidate reads the lease itself,
 * and polls anyway in case it may not watch or the watch has died.
 */
function watchLease({ client, namespace, name, clock, onChange }: Ports) {
  const stopping = new AbortController()
  const { signal } = stopping
  const selection = { namespace, fieldSelector: `metadata.name=${name}`, signal }
  let failures = 0
  let holder: string | undefined
  void run()
  return { stop: () => stopping.abort() }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await listen().catch(() => {})
      await pause(clock, backoffMs(++failures, BACKOFF, clock.random()), signal)
    }
  }

  async function listen(): Promise<void> {
    for await (const event of client.watch<KubeObject<Spec>>(LEASE, selection)) {
      failures = 0
      if (event.type === 'BOOKMARK') continue
      const next = event.type === 'DELETED' ? '' : (event.object.spec?.holderIdentity ?? '')
      if (next !== holder) onChange()
      holder = next
    }
  }
}

type Spec = Readonly<{ holderIdentity?: string }>
