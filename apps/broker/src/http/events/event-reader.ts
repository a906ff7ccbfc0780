import type { Writable } from 'node:stream'
import type { StreamEvent } from '@bourse/contract'
import type { EventBatch, EventRing } from '../../after-commit/event-ring.ts'
import type { Caller } from '../callers/caller.ts'
import { type EventTexts, fields } from './event-text.ts'
import { isToldTo } from './stream-event-reply.ts'

type Ports = Readonly<{
  ring: Pick<EventRing, 'after' | 'isLatest'>
  textOf: EventTexts
  caller: Caller
  /** Where it begins. */
  after: number
  /** Whether the caller would still be let in. */
  isWelcome(): boolean
  /** Runs a job when it is the caller's turn: reading old events takes milliseconds. */
  inTurn(job: () => void): void
  /**
   * The event for a reader whose next batch is unknown; the reader goes on after that event.
   */
  resetAfter(index: number): StreamEvent
}>

export type EventReader = ReturnType<typeof createEventReader>

/** Enough to fill a socket; a piece is one event longer at most. */
const PIECE_CHARACTERS = 64 * 1024
/** Of one caller in one turn; to decode and write them takes a few milliseconds. */
const OLD_EVENTS_AT_ONCE = 200
const HEARTBEAT = ':\n\n'

/**
 * One stream. It knows how far it is and sends what comes next while its reader takes it: what a
 * slow reader has not taken waits in the ring, once for all, and may fall out of it.
 */
export function createEventReader(response: Writable, ports: Ports) {
  const { ring, textOf, caller } = ports
  /** All up to this index has been sent, and so many events of the batch that follows. */
  let index = ports.after
  let begun = 0
  let isFull = false
  let isCatchingUp = false
  response.on('drain', () => {
    isFull = false
    pump()
  })

  return { pump, beat }

  /** Sends what there is, until the reader has to take some of it first. */
  function pump(): void {
    while (!isFull && !isCatchingUp && !response.writableEnded) {
      const batch = ring.after(index)
      if (batch === undefined) return
      if (batch === 'unknown') reset()
      else if (ring.isLatest(batch)) sendPiece(batch)
      else {
        isCatchingUp = true
        ports.inTurn(catchUp)
      }
    }
  }

  /** Old events, as many as fill a piece or take so long that others should be heard. */
  function catchUp(): void {
    isCatchingUp = false
    for (let seen = 0; seen < OLD_EVENTS_AT_ONCE && !isFull && !response.writableEnded; ) {
      const batch = ring.after(index)
      if (batch === undefined || batch === 'unknown') break
      seen += batch.events.length
      sendPiece(batch)
    }
    pump()
  }

  function reset(): void {
    const event = ports.resetAfter(index)
    index = event.index
    begun = 0
    write(ended(fields(event), index))
  }

  /**
   * Only the last event of a batch carries the id: a reader that stops within a batch gets all of
   * it again.
   */
  function sendPiece(batch: EventBatch): void {
    const last = batch.events.findLastIndex((event) => isToldTo(event, caller))
    let text = ''
    for (; begun <= last && text.length < PIECE_CHARACTERS; begun += 1) {
      const event = batch.events[begun]
      if (!event || !isToldTo(event, caller)) continue
      const one = textOf(event, batch.index, caller)
      text += begun === last ? ended(one, batch.index) : `${one}\n`
    }
    if (begun > last) {
      index = batch.index
      begun = 0
    }
    if (text !== '') write(text)
  }

  /** A sign of life; a reader that is behind gets events instead. */
  function beat(): void {
    if (!isFull || !ports.isWelcome()) write(HEARTBEAT)
  }

  /** Only for callers that are still admitted; the others learn the reason when they reconnect. */
  function write(text: string): void {
    // A slow reader may not have taken the end yet, and a write after the end is fatal.
    if (response.writableEnded) return
    if (ports.isWelcome()) isFull = !response.write(text)
    else response.end()
  }
}

function ended(text: string, index: number): string {
  return `${text}id: ${index}\n\n`
}
