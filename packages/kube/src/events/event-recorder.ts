import { isNotFound } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { EVENT } from '../objects/kinds.ts'
import { type Clock, pause, systemClock } from '../time/clock.ts'
import { createSeries, type Story } from './event-series.ts'

/** The object that an event tells of. */
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
  related?: ObjectReference | undefined
  type: 'Normal' | 'Warning'
  /** CamelCase, why: `Reserved`, `NoClusterFits`. */
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
  /** How many may be sent; it may change with the hour. */
  perSecond?(): number
  onTrouble?(error: Error): void
  clock?: Clock
}>

export type EventRecorder = {
  /** Returns at once. The same note again within minutes raises a count. */
  record(note: EventNote): void
  /** Never told: too many at once, or refused by the server. */
  dropped(): number
  /** Sends what waits, as far as the server takes it within the time. */
  stop(withinMs?: number): Promise<void>
}

const WAITING_MAX = 2_000
const perSecondByDefault = () => 25
/** Sent without pause after a quiet time. */
const BURST = 50
const STOP_WITHIN_MS = 3_000

/** Tells people what happened, and never holds up the one who tells. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock = systemClock, onTrouble = () => {} } = options
  const { waitingMax = WAITING_MAX, perSecond = perSecondByDefault } = options
  const series = createSeries(options, clock)
  const waiting = new Map<string, Story>()
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
      // Read only now: it may have been told again meanwhile, or given up.
      const story = waiting.get(id)
      if (!story) continue
      waiting.delete(id)
      // Events are for people: a lost one is counted, and nobody waits for it.
      await send(id, story).then(undefined, (error: Error) => {
        dropped += story.count
        onTrouble(error)
      })
    }
    sending = undefined
  }

  async function send(id: string, story: Story): Promise<void> {
    const known = series.known(id, story)
    if (known) {
      const raised = client.mergePatch(EVENT, known.ref, known.patch)
      const isRaised = await raised.then(
        () => true,
        (thrown) => {
          // The server forgets events after an hour or so.
          if (!isNotFound(thrown)) throw thrown
          return false
        },
      )
      if (isRaised) return
    }
    await client.create(EVENT, series.begin(id, story))
  }

  return {
    record(note) {
      if (stopping.signal.aborted) return
      const id = series.idOf(note)
      const before = waiting.get(id)
      const at = clock.now()
      if (before) waiting.set(id, { ...before, count: before.count + 1, lastAt: at })
      else if (waiting.size >= waitingMax) dropped++
      else waiting.set(id, { note, count: 1, firstAt: at, lastAt: at })
      sending ??= sendAll()
    },
    dropped: () => dropped,
    async stop(withinMs = STOP_WITHIN_MS) {
      // From here on without pauses: there is no later.
      stopping.abort()
      const enough = new AbortController()
      await Promise.race([sending, pause(clock, withinMs, enough.signal)])
      enough.abort()
      for (const { count } of waiting.values()) dropped += count
      waiting.clear()
    },
  }
}
