import { sha256 } from '../codec/batch.ts'
import { DamagedJournal } from '../port/journal.ts'
import { type HistorySpec, historyName } from './kinds.ts'
import { packedOf } from './packed-text.ts'
import type { Kept, ObjectStore } from './places.ts'

/** A compressed piece of the log, and what it brings the log up to. */
export type Piece = Readonly<{ bytes: Buffer; through: number; youngestAt: number }>

type Place = Readonly<{ sequence: number; version: string; youngestAt: number; isBlank: boolean }>

/** In base64, four thirds of it, well below what an object holds. */
const CHUNK_BYTES_MAX = 900_000

/** How many objects there may be; the oldest is replaced by the newest. */
const PLACES = 256

/**
 * A log in a ring of objects: its last one grows until it is full. Some hundred thousand ended
 * reservations fit; see docs/decisions. `load` gets what is in the log already, in order.
 */
export async function openHistoryLog(
  stored: ObjectStore<HistorySpec>,
  load: (spec: HistorySpec) => Promise<void>,
) {
  const known = new Map<number, Place>()
  let tail: HistorySpec | undefined
  for (const kept of await chunksIn(stored)) {
    note(kept)
    await load(kept.spec)
  }

  return { through: () => tail?.through ?? 0, catchUp, append, before, blankBefore }

  function note({ spec, version }: Kept<HistorySpec>): void {
    const { sequence, youngestAt, text } = spec
    known.set(sequence % PLACES, { sequence, version, youngestAt, isBlank: text === '' })
    if (!tail || sequence >= tail.sequence) tail = spec
  }

  /** What another broker has appended since. */
  async function catchUp(): Promise<void> {
    for (let sequence = tail?.sequence ?? 0; ; sequence++) {
      const kept = await stored.read(historyName(sequence % PLACES))
      if (kept) note(kept)
      if (!kept || kept.spec.sequence < sequence) return
    }
  }

  /** All or a beginning of it, as `through` then says. Throws a conflict if another was faster. */
  async function append(pieces: readonly Piece[]): Promise<void> {
    const growing = tail?.text === '' ? undefined : tail
    let sequence = growing?.sequence ?? (tail ? tail.sequence + 1 : 0)
    let bytes = Buffer.from(growing?.text ?? '', 'base64')
    let youngestAt = growing?.youngestAt ?? 0
    let through = tail?.through ?? 0
    for (const piece of pieces) {
      if (bytes.length > 0 && bytes.length + piece.bytes.length > CHUNK_BYTES_MAX) {
        await put(sequence, { bytes, through, youngestAt })
        sequence++
        bytes = Buffer.alloc(0)
        youngestAt = 0
      }
      // Compressed pieces after each other read as one text.
      bytes = Buffer.concat([bytes, piece.bytes])
      through = Math.max(through, piece.through)
      youngestAt = Math.max(youngestAt, piece.youngestAt)
    }
    await put(sequence, { bytes, through, youngestAt })
  }

  async function put(sequence: number, { bytes, through, youngestAt }: Piece): Promise<void> {
    const packed = packedOf(bytes)
    await replace({ sequence, through, youngestAt, hash: sha256(packed.text), ...packed })
  }

  async function replace(spec: HistorySpec): Promise<void> {
    const name = historyName(spec.sequence % PLACES)
    const version = await stored.put(name, spec, known.get(spec.sequence % PLACES)?.version)
    note({ name, spec, version })
  }

  /** What is wholly past its time. */
  async function* before(moment: number): AsyncGenerator<HistorySpec> {
    for (const { sequence } of pastTime(moment)) {
      const kept = await stored.read(historyName(sequence % PLACES))
      if (kept?.spec.sequence === sequence) yield verified(kept).spec
    }
  }

  function pastTime(moment: number): Place[] {
    return [...known.values()].filter((place) => !place.isBlank && place.youngestAt < moment)
  }

  /** Takes the room back from what is wholly past its time. */
  async function blankBefore(moment: number): Promise<void> {
    for (const { sequence, youngestAt } of pastTime(moment)) {
      const through = sequence === tail?.sequence ? tail.through : 0
      const empty = { encoding: 'plain', text: '', hash: sha256('') } as const
      await replace({ sequence, through, youngestAt, ...empty })
    }
  }
}

/** All that is in the log, oldest first. */
export async function chunksIn(stored: ObjectStore<HistorySpec>): Promise<Kept<HistorySpec>[]> {
  const found: Kept<HistorySpec>[] = []
  for await (const kept of stored.readAll()) found.push(verified(kept))
  return found.toSorted((one, other) => one.spec.sequence - other.spec.sequence)
}

function verified(kept: Kept<HistorySpec>): Kept<HistorySpec> {
  if (sha256(kept.spec.text) !== kept.spec.hash)
    throw new DamagedJournal(`The history in ${kept.name} does not match its hash`)
  return kept
}
