import { hash } from 'node:crypto'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { DamagedJournal, type Head, type SealedBatch } from '../port/journal.ts'
import { decodeEvent, EVENT_VERSION, encodeEvent, versionOf } from './event-codec.ts'

export type OpenedBatch = Readonly<{
  index: number
  at: number
  writer: string
  events: readonly LedgerEvent[]
}>

/** The first line of a batch's text, before a line for each event. */
type Header = Readonly<{
  v: number
  index: number
  writer: string
  previous: string
  at: number
  events: number
}>

/** A journal may be as old as the ledger: every format that was ever written is read. */
const OLDEST_READABLE = 1

export const NO_HEAD: Head = { index: 0, hash: '' }

export const sha256 = (text: string): string => hash('sha256', text)

export function sealBatch(
  batch: OpenedBatch & Readonly<{ previous: string }>,
): SealedBatch & Readonly<{ at: number }> {
  const { index, writer, previous, at, events } = batch
  const v = versionOf(events)
  const header: Header = { v, index, writer, previous, at, events: events.length }
  const text = [JSON.stringify(header), ...events.map(encodeEvent)].join('\n')
  return { index, writer, previous, at, hash: sha256(text), text }
}

/** Proves that a batch is whole and follows `before`, then reads it. */
export function openBatch(sealed: SealedBatch, before: Head): OpenedBatch {
  const lines = verifiedLines(sealed, before)
  const { index, at, writer } = lines.header
  return { index, at, writer, events: lines.events.map(decodeEvent) }
}

/** The events of a batch that this process has sealed or verified itself. */
export function eventsIn(text: string): LedgerEvent[] {
  return text.split('\n').slice(1).map(decodeEvent)
}

/** Proves the same without decoding the events: cheaper where only the chain matters. */
export function verifyBatch(sealed: SealedBatch, before: Head): Head {
  verifiedLines(sealed, before)
  return { index: sealed.index, hash: sealed.hash }
}

/** Proves the same and leaves it to the caller which lines are worth decoding. */
export function eventLines(sealed: SealedBatch, before: Head): readonly string[] {
  return verifiedLines(sealed, before).events
}

function verifiedLines(sealed: SealedBatch, before: Head) {
  const fail = (what: string) => damaged(sealed.index, what)
  if (sealed.index !== before.index + 1) throw fail(`it follows batch ${before.index}: a hole`)
  if (sha256(sealed.text) !== sealed.hash) throw fail('its content does not match its hash')
  const [first = '', ...events] = sealed.text.split('\n')
  // The hash has been verified: this is what a `sealBatch` wrote, perhaps of another version.
  const header = JSON.parse(first) as Header
  if (header.v > EVENT_VERSION) throw newer(header)
  if (header.v < OLDEST_READABLE) throw older(header)
  if (header.index !== sealed.index) throw fail(`its header says it is batch ${header.index}`)
  if (header.previous !== sealed.previous || header.writer !== sealed.writer)
    throw fail('its header names another writer or another batch before it')
  if (header.previous !== before.hash)
    throw fail(
      `it follows hash ${shown(header.previous)}, but the one before has ${shown(before.hash)}`,
    )
  if (header.events !== events.length)
    throw fail(`it has ${events.length} events, and its header says ${header.events}`)
  return { header, events }
}

const damaged = (index: number, what: string) =>
  new DamagedJournal(`Batch ${index} of the journal is damaged: ${what}`)

const newer = ({ index, v }: Header) =>
  new DamagedJournal(
    `Batch ${index} was written in format ${v} by a newer broker; this one reads up to ` +
      `${EVENT_VERSION}. Start the newer version on this directory`,
  )

const older = ({ index, v }: Header) =>
  new DamagedJournal(
    `Batch ${index} is in format ${v}; this broker reads ${OLDEST_READABLE} to ${EVENT_VERSION}`,
  )

const shown = (hash: string) => (hash === '' ? 'nothing' : `${hash.slice(0, 12)}…`)
