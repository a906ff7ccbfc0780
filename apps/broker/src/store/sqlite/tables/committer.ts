import type { DatabaseSync } from 'node:sqlite'
import type { Head } from '../../port/journal.ts'
import type { Witness } from '../disk/witness.ts'
import { createStateWriter, type LedgerState, readState } from './ledger-state.ts'

type Change = Partial<Omit<LedgerState, 'commits'>>
type Ports = Readonly<{ db: DatabaseSync; witness: Witness }>

export type Committer = ReturnType<typeof createCommitter>
/** What reads and writes some of the tables is made of. */
export type TablePorts = Readonly<{ db: DatabaseSync; committer: Committer }>

/** The only way to change the database: one durable transaction, noted by the witness. */
export function createCommitter({ db, witness }: Ports) {
  const writeState = createStateWriter(db)
  // Read once: a commit by itself takes a fifth of a millisecond, of which this would be a part.
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]
  let state = readState(db)
  return { state: () => state, transact, append, attest }

  /** What `work` returns becomes the new state; what it throws leaves everything as it was. */
  function transact(work: () => Change | undefined): void {
    commitNext(() => {
      const next = { ...state, ...work(), commits: state.commits + 1 }
      writeState(next)
      return next
    })
  }

  /** The row that `insert` writes says where the journal ends now: see `readState`. */
  function append(head: Head, headWriter: string, insert: () => void): void {
    commitNext(() => {
      insert()
      return { ...state, head, headWriter, commits: state.commits + 1 }
    })
  }

  function commitNext(work: () => LedgerState): void {
    begin.run()
    let next: LedgerState
    try {
      next = work()
      commit.run()
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK')
    }
    state = next
    attest()
  }

  /** Before callers are answered: if this note fails, the commit stays unanswered. */
  function attest(): void {
    const { commits, head } = state
    witness.note({ commits, ...head })
  }
}
