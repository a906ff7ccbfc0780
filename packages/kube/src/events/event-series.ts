import { EVENT, microTime } from '../objects/kinds.ts'
import { apiVersionOf, type Ref } from '../objects/objects.ts'
import type { Clock } from '../time/clock.ts'
import type { EventNote, EventRecorderOptions, ObjectReference } from './event-recorder.ts'

/** One note and how often it was recorded. */
export type Repeated = Readonly<{ note: EventNote; count: number; firstAt: number; lastAt: number }>

type Begun = { ref: Ref; count: number; lastAt: number }

/** A repetition after a longer pause becomes a new event. */
const SILENCE_MAX_MS = 6 * 60_000
const REMEMBERED_MAX = 4_096
/** Limits of the events API. */
const NOTE_BYTES_MAX = 1_024
const WORD_CHARS_MAX = 128
/** Of at most 253 characters; the rest is for a unique suffix. */
const NAME_CHARS_MAX = 220

type Options = Pick<EventRecorderOptions, 'controller' | 'instance'>

export function createSeries({ controller, instance }: Options, clock: Clock) {
  const begun = new Map<string, Begun>()

  function remember(id: string, one: Begun): void {
    begun.delete(id)
    begun.set(id, one)
    const [oldest] = begun.keys()
    if (begun.size > REMEMBERED_MAX && oldest !== undefined) begun.delete(oldest)
  }

  function uniqueName({ name }: ObjectReference, at: number): string {
    const tail = Math.floor(clock.random() * 2 ** 32).toString(16)
    return `${name.slice(0, NAME_CHARS_MAX)}.${at.toString(16)}${tail.padStart(8, '0')}`
  }

  return {
    /** Two notes with the same id are one event. */
    idOf: ({ regarding: { uid, namespace, name }, type, reason, action, note }: EventNote) =>
      JSON.stringify([uid, namespace, name, type, reason, action, note]),
    /** The event for this note and the patch that raises its count, unless it is too old. */
    known(id: string, { count, lastAt }: Repeated) {
      const one = begun.get(id)
      if (!one || lastAt - one.lastAt > SILENCE_MAX_MS) return undefined
      const raised = { ...one, count: one.count + count, lastAt }
      remember(id, raised)
      return { ref: one.ref, patch: { series: seriesOf(raised) } }
    },
    /** A new event. */
    begin(id: string, { note, count, firstAt, lastAt }: Repeated) {
      const { regarding, type } = note
      // The API requires this namespace for events of cluster-scoped objects.
      const namespace = regarding.namespace ?? 'default'
      const ref = { name: uniqueName(regarding, firstAt), namespace }
      remember(id, { ref, count, lastAt })
      return {
        apiVersion: apiVersionOf(EVENT),
        kind: EVENT.kind,
        metadata: ref,
        eventTime: microTime(firstAt),
        reportingController: controller,
        reportingInstance: instance.slice(0, WORD_CHARS_MAX),
        type,
        reason: note.reason.slice(0, WORD_CHARS_MAX),
        action: note.action.slice(0, WORD_CHARS_MAX),
        note: shortened(note.note),
        regarding,
        series: count > 1 ? seriesOf({ count, lastAt }) : undefined,
      }
    },
  }
}

function seriesOf({ count, lastAt }: Pick<Begun, 'count' | 'lastAt'>) {
  return { count, lastObservedTime: microTime(lastAt) }
}

function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= NOTE_BYTES_MAX) return text
  // Drop a character that was cut in two.
  return `${bytes.toString('utf8', 0, NOTE_BYTES_MAX - 3).replace(/\uFFFD$/, '')}…`
}
