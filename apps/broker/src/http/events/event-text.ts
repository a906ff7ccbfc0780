import type { StreamEvent } from '@bourse/contract'
import type { LedgerEvent } from '@bourse/domain/ledger'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import type { Caller } from '../callers/caller.ts'
import { isByObject, maySeeGrounds, type Told, toStreamEvent } from './stream-event-reply.ts'

export type EventTexts = ReturnType<typeof createEventTexts>

/**
 * The text of an event, made once for readers that may see the grounds of decisions, and once for
 * others.
 */
export function createEventTexts(noteOf: NoteOf) {
  const texts = {
    whole: new WeakMap<LedgerEvent, string>(),
    groundless: new WeakMap<LedgerEvent, string>(),
  }

  return function textOf(event: Told, index: number, caller: Caller): string {
    const view = maySeeGrounds(event, caller) ? 'whole' : 'groundless'
    const text = texts[view].get(event) ?? fields(shown(event, index, view))
    texts[view].set(event, text)
    return text
  }

  function shown(event: Told, index: number, view: keyof typeof texts): StreamEvent {
    const whole = toStreamEvent(event, index, noteOf)
    if (whole.kind !== 'reservation' || view === 'whole') return whole
    const { decision: _, by, ...groundless } = whole
    return by === undefined || isByObject(whole) ? groundless : { ...groundless, by }
  }
}

/** An event without its end, which is an id or nothing. */
export function fields(event: StreamEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n`
}
