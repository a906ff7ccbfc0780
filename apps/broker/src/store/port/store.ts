import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord, History, HistoryBatch } from './history.ts'
import type { Journal } from './journal.ts'
import type { StoreNotes } from './store-notes.ts'

/**
 * Everything that outlives the process, in any kind of store. Begin here and with `journal.ts`:
 *
 *   port/        what a store is; the contracts that each implementation passes
 *   sqlite/      the embedded store: `sqlite-store.ts`, behind it `store-worker.ts` on its thread
 *   kubernetes/  objects of an API server: a ring of batches, snapshots, a log of the history
 *   postgres/    tables of a database, for several brokers as well
 *   opening/     chooses one of these by the configuration
 *   codec/       how events, snapshots and history become text
 *   history/     what has ended, and the request ids that are remembered
 *   snapshots/, replay/   short restarts, and explanations of old decisions
 *   backup/      what `bourse ledger` does with a store
 */
export type Store = Readonly<{
  journal: Journal
  history: History
  /** The key of the ledger's proofs, and whether this is an older copy of it. */
  notes: StoreNotes
  /** Findings at the start that an operator should know: log each as a warning. */
  notices: readonly string[]
  /**
   * The full ranking at the moment of a decision; undefined once the history has passed it. Where a
   * cluster reads it, the amounts that were hidden from it are coarse.
   */
  explainAt(record: DecisionRecord, reader?: string): Promise<Ranking | undefined>
  /** Which snapshots to keep; absent: those that lead back through the history. */
  chooseRungs?: ChooseRungs
  /** What is recorded is safe from the loss of this machine when this resolves. */
  secureHistory?(): Promise<void>
  /** The ledger is back: from now on what can wait has a core to run on. */
  beginChores?(): void
  /** Nothing is under way: time to give back the memory that a burst took. */
  rest?(): void
  /** The whole history, for an export; where that is not read from the files themselves. */
  everything?(): AsyncIterable<HistoryBatch>
  /** Background work that fails: worth knowing, no reason to send callers away. */
  trouble(): string | undefined
  /** So that a second broker on this store can be told where the first one listens. */
  noteAddress(address: string): Promise<void>
  close(): Promise<void>
}>

/** A store that several brokers may share. */
export type SharedStore = Store & Required<Pick<Store, 'everything'>>

/** A snapshot's place in the journal and in time. */
export type Rung = Readonly<{ index: number; at: number }>

/** Which snapshots to keep: batches from `keepFrom` on, and the snapshots at the indexes `also`. */
export type ChooseRungs = (
  rungs: readonly Rung[],
  now: number,
  historyMs: number,
) => Readonly<{ keepFrom: number; also: readonly number[] }>
