import type { Command, LedgerEvent, LedgerView, Outcome } from '@bourse/domain/ledger'

/** One durable batch, as after-commit readers (metrics, audit, history, streams) see it. */
export type Committed = Readonly<{ index: number; at: number; events: readonly LedgerEvent[] }>

export type Answer = Readonly<{ outcome: Outcome; index: number }>

/** The only door to the ledger: decides in order of arrival, answers after the commit. */
export type LedgerWriter = {
  /** Rejects with `WriterUnavailable` when it cannot be decided now (overload, no commit, closing). */
  submit(command: Command): Promise<Answer>
  /** Runs a query on committed state: between two commits, never during one. */
  read<T>(query: (view: LedgerView, index: number) => T): Promise<T>
  /** Called after each commit, in order, before anything else is decided. */
  subscribe(reader: (committed: Committed) => void): () => void
  /** Why nothing can be decided now; undefined when all is well. */
  trouble(): string | undefined
  /** The last committed index. */
  index(): number
  close(): Promise<void>
}

export class WriterUnavailable extends Error {
  override readonly name = 'WriterUnavailable'
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
