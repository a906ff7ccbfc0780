import type { Head } from './journal.ts'

type Wanted = Readonly<{
  /** Batches up to this one are gone. */
  floor: Head
  keepFrom: number
  also: readonly number[]
}>

/**
 * What compaction keeps of the finished snapshots, oldest first: the newest, the `anchor` that
 * `keepFrom` is replayed from, and `also`. Batches up to the anchor may go.
 */
export function keptSnapshots<S extends Readonly<{ head: Head }>>(
  snapshots: readonly S[],
  { floor, keepFrom, also }: Wanted,
) {
  const anchor =
    snapshots.findLast(({ head }) => head.index < keepFrom) ??
    // Without its first batches, a journal is replayed from its oldest snapshot at the earliest.
    (floor.index > 0 ? snapshots[0] : undefined)
  const always = [snapshots.at(-1), anchor]
  const kept = snapshots.filter((one) => always.includes(one) || also.includes(one.head.index))
  return { anchor, kept }
}
