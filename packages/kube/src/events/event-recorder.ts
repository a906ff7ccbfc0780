import { ignoring, isNotFound } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { EVENT } from '../objects/kinds.ts'
import { type Clock, pause, systemClock } from '../time/clock.ts'
import { createSeries, type Repeated } from './event-series.ts'

/** The object that an event is about. */
export type ObjectReference = Readonly<{
  apiVersion: string
  kind: string
  name: string
  namespace?: string | undefined
  uid?: string | undefined
  resourceVersion?: string | undefined
}>

export type EventNote = Readonly<{
  regarding: ObjectReference
  type: 'Normal' | 'Warning'
  /** Why, in CamelCase: `Reserved`, `NoClusterFits`. */
  reason: string
  /** What was done or tried: `Reserve`. */
  action: string
  /** A sentence for people. */
  note: string
}>

export type EventRecorderOptions = Readonly<{
  client: Pick<KubeClient, 'create' | 'mergePatch'>
  /** `bourse.dev/broker`. */
  controller: string
  /** This process, for instance its pod's name. */
  instance: string
  /** Events not yet sent; more are dropped and counted. */
  waitingMax?: number
  /** The rate limit; it may change at run time. */
  perSecond?(): number
  onTrouble?(error: Error): void
  clock?: Clock
}>

const WAITING_MAX = 2_000
const perSecondByDefault = () => 25
/** Events sent without a pause after a quiet time. */
const BURST = 50
const STOP_WITHIN_MS = 3_000

/** Writes Kubernetes Events in the background; recording never blocks. */
export function createEventRecorder(options: EventRecorderOptions) {
  const { client, clock = systemClock, onTrouble = () => {} } = options
  const { waitingMax = WAITING_MAX, perSecond = perSecondByDefault } = options
  const series = createSeries(options, clock)
  const waiting = new Map<string, Repeated>()
  const stopping = new AbortController()
  let sending: Promise<void> | undefined
  let dropped = 0
  let allowance = BURST
  let countedAt = clock.monotonic()

  async function takeAllowance(signal: AbortSignal): Promise<void> {
    const now = clock.monotonic()
    allowance = Math.min(BURST, allowance + ((now - countedAt) / 1_000) * perSecond())
    countedAt = now
    if (allowance < 1) await pause(clock, ((1 - allowance) / perSecond()) * 1_000, signal)
    allowance -= 1
  }

  async function sendAll(): Promise<void> {
    for (const id of waiting.keys()) {
      await takeAllowance(stopping.signal)
      // Read only now: its count may have grown, or it was dropped.
      const repeated = waiting.get(id)
      if (!repeated) continue
      waiting.delete(id)
      // A lost event is only counted: events are for people.
      await send(id, repeated).catch((error: Error) => {
        dropped += repeated.count
        onTrouble(error)
      })
    }
    sending = undefined
  }

  async function send(id: string, repeated: Repeated): Promise<void> {
    const known = series.known(id, repeated)
    if (known) {
      // The server deletes events after an hour or so.
      const raised = client.mergePatch(EVENT, known.ref, known.patch).then(() => true)
      if (await ignoring(isNotFound, raised)) return
    }
    await client.create(EVENT, series.begin(id, repeated))
  }

  return {
    /** Returns at once. Repeating a note within minutes raises its count. */
    record(note: EventNote): void {
      if (stopping.signal.aborted) return
      const id = series.idOf(note)
      const before = waiting.get(id)
      const at = clock.now()
      if (before) waiting.set(id, { ...before, count: before.count + 1, lastAt: at })
      else if (waiting.size >= waitingMax) dropped++
      else waiting.set(id, { note, count: 1, firstAt: at, lastAt: at })
      sending ??= sendAll()
    },
    /** Events lost: too many at once, or refused by the server. */
    dropped: () => dropped,
    /** Sends what is waiting, within this time. */
    async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
      // Send the rest without pauses.
      stopping.abort()
      const enough = new AbortController()
      await Promise.race([sending, pause(clock, withinMs, enough.signal)])
      enough.abort()
      for (const { count } of waiting.values()) dropped += count
      waiting.clear()
    },
  }
}
