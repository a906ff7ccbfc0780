import { forEachWriter, type WrittenBatch } from './event-bytes.ts'

const DAY_MS = 86_400_000
/** Clusters remembered; above this number, clusters with their whole budget are forgotten. */
const CLUSTERS_MAX = 50_000
/** A cluster that has used less of its day's bytes is not worth a note. */
const NOTED_SHARE = 1 / 1_000
/** The heaviest: a note has to fit into an object of Kubernetes. */
const NOTED_MAX = 5_000
/** Beyond the day's bytes, for a release by request id: where nothing is held it leaves a tombstone. */
const RELEASE_SHARE = 1 / 10

type Spent = { bytes: number; at: number }
type Followed = WrittenBatch & Readonly<{ index: number; at: number }>

export type JournalBudget = ReturnType<typeof createJournalBudget>

/**
 * How much each cluster has lately made the journal grow. A whole day's bytes may be written at
 * once; they come back evenly over a day, by the broker's time. A restart counts the batches that
 * it replays again; for those that a snapshot covers there is a note.
 */
export function createJournalBudget(bytesPerDay: number, now: () => number) {
  const spent = new Map<string, Spent>()
  let countedThrough = 0

  return { follow, waitSeconds, note, recall }

  /** For each batch in order: replayed, followed as a standby, or just committed. */
  function follow(batch: Followed): void {
    const { index, at } = batch
    if (bytesPerDay === 0 || index <= countedThrough) return
    countedThrough = index
    forEachWriter(batch, (clusterId, bytes) => add(clusterId, bytes, at))
  }

  function add(clusterId: string, bytes: number, at: number): void {
    const entry = spent.get(clusterId)
    if (entry) {
      entry.bytes = left(entry, at) + bytes
      entry.at = Math.max(entry.at, at)
      return
    }
    if (spent.size >= CLUSTERS_MAX) forgetPaid(at)
    spent.set(clusterId, { bytes, at })
  }

  /** The bytes that have not come back yet. */
  function left({ bytes, at }: Spent, moment: number): number {
    return Math.max(0, bytes - (Math.max(0, moment - at) * bytesPerDay) / DAY_MS)
  }

  function forgetPaid(moment: number): void {
    for (const [clusterId, entry] of spent) if (left(entry, moment) === 0) spent.delete(clusterId)
  }

  /** Until a cluster may write again; undefined while it may. */
  function waitSeconds(clusterId: string, purpose?: 'release'): number | undefined {
    const entry = spent.get(clusterId)
    if (!entry) return undefined
    const allowed = purpose === 'release' ? bytesPerDay * (1 + RELEASE_SHARE) : bytesPerDay
    const excess = left(entry, now()) - allowed
    return excess > 0 ? Math.ceil((excess * DAY_MS) / bytesPerDay / 1_000) : undefined
  }

  /**
   * To be called before a snapshot covers what is counted; undefined if there is nothing to note.
   */
  function note(ledgerId: string): BudgetNote | undefined {
    const at = now()
    const heavy: [string, number][] = []
    for (const [clusterId, entry] of spent) {
      const bytes = Math.ceil(left(entry, at))
      if (bytes > bytesPerDay * NOTED_SHARE) heavy.push([clusterId, bytes])
    }
    if (heavy.length === 0) return undefined
    heavy.sort(([, one], [, other]) => other - one)
    return { ledgerId, index: countedThrough, at, spent: heavy.slice(0, NOTED_MAX) }
  }

  /** Once the snapshot is loaded and before the batches after it are followed. */
  function recall({ index, at, spent: noted }: BudgetNote): void {
    if (bytesPerDay === 0) return
    countedThrough = index
    for (const [clusterId, bytes] of noted) add(clusterId, bytes, at)
  }
}

/** What is left of clusters' budgets, beside a journal that a snapshot has made shorter. */
export type BudgetNote = Readonly<{
  ledgerId: string
  /** The last batch that is counted in these figures. */
  index: number
  at: number
  spent: readonly (readonly [clusterId: string, bytes: number])[]
}>

export const budgetNoteText = (note: BudgetNote): string => `${JSON.stringify(note)}\n`

/** Undefined for one that is damaged: a broker that does not start would be worse. */
export async function readBudgetNote(text: string | undefined): Promise<BudgetNote | undefined> {
  if (text === undefined) return undefined
  const noted: unknown = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => undefined)
  // Written by `budgetNoteText` above.
  return noted as BudgetNote | undefined
}
