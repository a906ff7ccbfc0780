import { NO_HEAD, sha256 } from '../codec/batch.ts'
import { DamagedJournal, type Head } from '../port/journal.ts'
import { CATALOGUE_NAME, type ChunkSpec } from './kinds.ts'
import type { Kept, ObjectStore } from './places.ts'

/** A finished snapshot: which generation of chunk names holds it, and what to compare it with. */
export type Entry = Readonly<{
  id: string
  generation: number
  head: Head
  chunks: number
  /** Over the hashes of its chunks, in order. */
  digest: string
}>

export type Contents = Readonly<{
  v: 1
  /** Batches up to this one are not to be read any more. */
  floor: Head
  /** Oldest first. */
  snapshots: readonly Entry[]
  /** The broker that began the last snapshot, and the names it uses. */
  writing?: Claim | undefined
}>

export type Claim = Pick<Entry, 'id' | 'generation'>

export type Catalogue = Awaited<ReturnType<typeof openCatalogue>>

const EMPTY: Contents = { v: 1, floor: NO_HEAD, snapshots: [] }

/**
 * Which snapshots are finished, in one object: a snapshot begins and ceases to be with one write,
 * and a broker that was asleep meanwhile cannot make that write.
 */
export async function openCatalogue(stored: ObjectStore<ChunkSpec>) {
  let contents = EMPTY
  let version: string | undefined
  await refresh()

  return {
    refresh,
    change,
    floor: () => contents.floor,
    claim: () => contents.writing,
    snapshots: () => contents.snapshots,
    newest: (atOrBefore = Number.POSITIVE_INFINITY) =>
      contents.snapshots.findLast(({ head }) => head.index <= atOrBefore),
  }

  async function refresh(): Promise<void> {
    const kept = await stored.read(CATALOGUE_NAME)
    if (kept) take(kept)
  }

  function take({ spec, version: found }: Kept<ChunkSpec>): void {
    if (sha256(spec.text) !== spec.hash)
      throw new DamagedJournal('The catalogue of snapshots does not match its hash')
    // The hash has been verified: this is what `change` wrote.
    contents = JSON.parse(spec.text) as Contents
    version = found
  }

  /** Writes what `next` makes of the contents; throws if another broker has changed them. */
  async function change(next: (now: Contents) => Contents): Promise<void> {
    const wanted = next(contents)
    const text = JSON.stringify(wanted)
    const spec = { snapshot: CATALOGUE_NAME, nth: 0, hash: sha256(text), text }
    const written = stored.put(CATALOGUE_NAME, { ...spec, encoding: 'plain' }, version)
    version = await written.catch(async (thrown: unknown) => {
      // It may have happened, or another broker may have been here: what is there decides.
      await refresh()
      if (JSON.stringify(contents) !== text) throw thrown
      return version
    })
    contents = wanted
  }
}
