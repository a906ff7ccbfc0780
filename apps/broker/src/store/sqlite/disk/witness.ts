import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { nothingThere } from '../../port/store-notes.ts'

/**
 * How far the journal is known to reach, noted beside the database after each commit and before
 * a caller is told of it.
 *
 * SQLite's recovery stops at the first damaged frame of its log and takes what follows for a torn
 * tail: a flipped bit makes acknowledged batches vanish without a word. A database behind its
 * witness gives that away.
 *
 * Why no flush: the note is written only after the commit's own flush. So the database is on the
 * disk before any part of the note can be: the witness can lag, and never leads. A
 * killed process loses nothing of it (the kernel has it); a power cut may lose the newest notes,
 * and then the witness proves a little less, never something false. `flushWitness` (called about once a
 * second) keeps that gap short. Two slots are written in turn, so a torn one leaves the other.
 */
type Note = Readonly<{
  /** Transactions of any kind, so that lost history or snapshots are noticed as batches are. */
  commits: number
  index: number
  hash: string
}>

export type Witness = ReturnType<typeof openWitness>

export type WitnessReading = Readonly<{
  exists: boolean
  newest?: Note
  /** Slots (1 or 2) whose checksum does not match. */
  damaged: readonly number[]
}>

const SLOT_BYTES = 256
const SLOTS = 2

export function openWitness(path: string) {
  // 'a' would append: create it if it is missing, then write at positions.
  closeSync(openSync(path, 'a', 0o600))
  const file = openSync(path, 'r+')
  return {
    note: (note: Note) => {
      writeSync(file, slotText(note), (note.commits % SLOTS) * SLOT_BYTES, 'utf8')
    },
    flush: () => fsyncSync(file),
    close: () => closeSync(file),
  }
}

/** Flushing through any descriptor flushes the file: no thread of ours waits for it. */
export async function flushWitness(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}

export function readWitness(path: string): WitnessReading {
  const text = contentOf(path)
  if (text === undefined) return { exists: false, damaged: [] }
  const notes: Note[] = []
  const damaged: number[] = []
  for (let slot = 0; slot < SLOTS; slot++) {
    const written = text.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)
    // Never written: the file is new, or the second commit has not come yet.
    if (written.every((byte) => byte === 0)) continue
    const note = parseSlot(written.toString('latin1'))
    if (note) notes.push(note)
    else damaged.push(slot + 1)
  }
  const newest = notes.toSorted((one, other) => other.commits - one.commits)[0]
  return { exists: true, damaged, ...(newest && { newest }) }
}

function slotText({ commits, index, hash }: Note): string {
  return withChecksum(JSON.stringify({ commits, index, hash }))
}

const withChecksum = (facts: string) =>
  `${facts} ${crc32(facts)}`.padEnd(SLOT_BYTES - 1).concat('\n')

function parseSlot(slot: string): Note | undefined {
  const end = slot.indexOf('}') + 1
  const facts = slot.slice(0, end)
  // Where the checksum matches, this is what `slotText` wrote.
  return end > 0 && slot === withChecksum(facts) ? (JSON.parse(facts) as Note) : undefined
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    return nothingThere(error as NodeJS.ErrnoException)
  }
}
