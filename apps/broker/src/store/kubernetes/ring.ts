import { NO_HEAD } from '../codec/batch.ts'
import { DamagedJournal, type Head, type SealedBatch } from '../port/journal.ts'
import { type SlotSpec, slotName } from './kinds.ts'
import { checkFits, pack, unpack } from './packed-text.ts'
import type { Kept, ObjectStore } from './places.ts'

/** What is known of a slot: enough to replace it, and to say whose batch it is. */
type Slot = Readonly<{ index: number; hash: string; writer: string; version: string }>

/**
 * Batch N is in slot N mod `size`. What is known of the slots may be old: then a write meets a
 * conflict, which is the fence.
 *
 *   slot   0     1     2     3     4          head is 11, size 5:
 *   batch  10    11    7     8     9          12 will replace 7, if a snapshot covers it
 */
export async function openRing(stored: ObjectStore<SlotSpec>, wantedSize: number) {
  const slots = new Map<number, Slot>()
  let size = wantedSize
  let head = NO_HEAD
  let headWriter = ''
  await list()

  return {
    size: () => size,
    head: () => head,
    headWriter: () => headWriter,
    /** What is known to be where batch `index` belongs. */
    under: (index: number) => slots.get(index % size),
    write,
    read,
    learn,
    catchUp,
    startAfter,
  }

  async function list(): Promise<void> {
    for await (const kept of stored.readAll()) {
      size = kept.spec.ring
      note(kept)
    }
    for (const slot of slots.values()) advanceTo(slot)
  }

  /** Replaces what is known to be there. Throws a conflict if it no longer is. */
  async function write(batch: SealedBatch): Promise<void> {
    const packed = await pack(batch.text)
    checkFits(packed, `Batch ${batch.index} of the journal`)
    const { index, writer, previous, hash } = batch
    const under = slots.get(index % size)
    const spec = { ring: size, index, writer, previous, hash, ...packed }
    const version = await stored.put(slotName(index % size), spec, under?.version)
    slots.set(index % size, { index, hash, writer, version })
    if (index === head.index + 1) advanceTo({ index, hash, writer })
  }

  /** The batch with this index; `gone`: a later one is in its place. */
  async function read(index: number): Promise<SealedBatch | 'gone' | undefined> {
    const kept = await look(index)
    if (!kept || kept.spec.index < index) return undefined
    return kept.spec.index > index ? 'gone' : sealedOf(kept.spec)
  }

  async function look(index: number): Promise<Kept<SlotSpec> | undefined> {
    const kept = await stored.read(slotName(index % size))
    if (kept) note(kept)
    return kept
  }

  /** Looks at the next slot until it holds nothing newer: then this was the head. */
  async function catchUp(): Promise<void> {
    for (;;) {
      const next = await look(head.index + 1)
      if (!next || next.spec.index <= head.index) return
      if (next.spec.index > head.index + 1) return list()
      advanceBy(next.spec)
    }
  }

  /** Something that was seen on the way, such as a change that the server told. */
  async function learn(kept: Kept<SlotSpec>): Promise<SealedBatch> {
    note(kept)
    if (kept.spec.index === head.index + 1) advanceBy(kept.spec)
    return sealedOf(kept.spec)
  }

  function note({ spec, version }: Kept<SlotSpec>): void {
    const { index, hash, writer } = spec
    const known = slots.get(index % size)
    // What comes late must not hide what is newer.
    if (!known || known.index <= index) slots.set(index % size, { index, hash, writer, version })
  }

  function advanceBy({ index, hash, writer, previous }: SlotSpec): void {
    if (head.hash !== '' && previous !== head.hash)
      throw new DamagedJournal(
        `Batch ${index} of the journal does not follow batch ${head.index}: the slots were changed ` +
          'by hand. Restore a backup',
      )
    advanceTo({ index, hash, writer })
  }

  function advanceTo({ index, hash, writer }: Head & { writer: string }): void {
    if (index <= head.index) return
    head = { index, hash }
    headWriter = writer
  }

  /** A snapshot that was imported: the first batch follows it. */
  function startAfter(imported: Head): void {
    advanceTo({ ...imported, writer: '' })
  }
}

async function sealedOf(spec: SlotSpec): Promise<SealedBatch> {
  const { index, writer, previous, hash } = spec
  return { index, writer, previous, hash, text: await unpack(spec) }
}
