import type { Tombstone } from '../port/history.ts'
import type { Head, SealedBatch } from '../port/journal.ts'

/** The format of exports; a reader reads its own and the previous one. */
export const BACKUP_VERSION = 1

/**
 * One record, one line of JSON: the ledger first, then snapshots and batches in the order of the
 * journal, then the history, and last a digest of all lines before it. Texts are those that the
 * journal and the history keep, so that they can be compared byte by byte.
 */
export type BackupRecord =
  | Readonly<{ kind: 'ledger'; v: number; head: Head; historyThrough: number }>
  | Readonly<{ kind: 'snapshot'; head: Head; chunks: number }>
  | Readonly<{ kind: 'chunk'; text: string }>
  | Readonly<{ kind: 'batch'; batch: SealedBatch }>
  /** The grounds of a decision whose batch is not here (earlier versions wrote those of all). */
  | Readonly<{ kind: 'decision'; text: string }>
  | Readonly<{ kind: 'ended'; text: string }>
  | Readonly<{ kind: 'tombstone'; tombstone: Tombstone }>
  | Readonly<{ kind: 'end'; records: number; digest: string }>

/** What an export has of the history. */
export type HistoryRecord = Extract<BackupRecord, { kind: 'decision' | 'ended' | 'tombstone' }>

export const NO_COUNTS = { snapshots: 0, batches: 0, decisions: 0, ended: 0, tombstones: 0 }
export type BackupCounts = Readonly<typeof NO_COUNTS>

const counted: Partial<Record<BackupRecord['kind'], keyof BackupCounts>> = {
  snapshot: 'snapshots',
  batch: 'batches',
  decision: 'decisions',
  ended: 'ended',
  tombstone: 'tombstones',
}

export function countIn(counts: BackupCounts, { kind }: BackupRecord): BackupCounts {
  const name = counted[kind]
  return name ? { ...counts, [name]: counts[name] + 1 } : counts
}
