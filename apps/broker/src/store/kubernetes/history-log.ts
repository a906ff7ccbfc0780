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

type Settings = Readonly<{
  stored: ObjectStore<HistorySpec>
  /** How many objects there may be; the oldest is replaced by the newest. */
  places: number
  /** What is in the log already, in order. */
  load(spec: HistorySpec): Promise<void>
}>

/** A log in a ring of objects: its last one grows until it is full. */
export async function openHistoryLog({ stored, places, load }: Settings) {
  const known = new Map<number, Place>()
  let tail: HistorySpec | undefined
  await readAll()

  return { through: () => tail?.through ?? 0, catchUp, append, before, blankBefore }

  async function readAll(): Promise<void> {
    const found: HistorySpec[] = []
    for await (const kept of stored.readAll()) {
      note(kept)
      found.push(verified(kept).spec)
    }
    for (const spec of found.toSorted((one, other) => one.sequence - other.sequence))
      await load(spec)
  }

  function note({ spec, version }: Kept<HistorySpec>): void {
    const { sequence, youngestAt, text } = spec
    known.set(sequence % places, { sequence, version, youngestAt, isBlank: text === '' })
    if (!tail || sequence >= tail.sequence) tail = spec
  }

  /** What another broker has appended since. */
  async function catchUp(): Promise<void> {
    for (let sequence = tail?.sequence ?? 0; ; sequence++) {
      const kept = await stored.read(historyName(sequence % places))
      if (kept) note(kept)
      if (!kept || kept.spec.sequence < sequence) return
    }
  }

  /** All or a beginning of it, as `through` then says. Throws a conflict if another was faster. */
  async function append(pieces: readonly Piece[]): Promise<void> {
    const isNew = !tail || tail.text === ''
    let sequence = isNew ? (tail ? tail.sequence + 1 : 0) : (tail?.sequence ?? 0)
    let bytes = isNew ? Buffer.alloc(0) : Buffer.from(tail?.text ?? '', 'base64')
    let youngestAt = isNew ? 0 : (tail?.youngestAt ?? 0)
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
    const name = historyName(spec.sequence % places)
    const version = await stored.put(name, spec, known.get(spec.sequence % places)?.version)
    note({ name, spec, version })
  }

  /** What is wholly past its time. */
  async function* before(moment: number): AsyncGenerator<HistorySpec> {
    for (const { sequence } of pastTime(moment)) {
      const kept = await stored.read(historyName(sequence % places))
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

function verified(kept: Kept<HistorySpec>): Kept<HistorySpec> {
  if (sha256(kept.spec.text) !== kept.spec.hash)
    throw new DamagedJournal(`The history in ${kept.name} does not match its hash`)
  return kept
}
