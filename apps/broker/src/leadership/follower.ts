import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Books } from '../ledger/opening/open-books.ts'
import { CompactedAway, DamagedJournal, type Journal } from '../store/port/journal.ts'

type Ports = Readonly<{
  journal: Pick<Required<Journal>, 'follow'>
  /** The books as the journal has them now. */
  open(): Promise<Books>
  log: Logger
  /** The journal contradicts itself: nothing here can mend that. */
  crash(cause: Error): void
}>

export type Follower = {
  /** Once the books are open: this broker could lead from now on. */
  warm: Promise<void>
  isWarm(): boolean
  index(): number
  /** Why it does not hear what is appended; undefined when all is well. */
  trouble(): string | undefined
  /** Ends following and hands the books over. */
  stop(): Promise<Books | undefined>
}

const RETRY_MS = 500

/** A standby's work: it applies what the leader commits, so that it can take over at once. */
export function startFollower({ journal, open, log, crash }: Ports): Follower {
  const stopping = new AbortController()
  const { signal } = stopping
  const warm = Promise.withResolvers<void>()
  let books: Books | undefined
  let trouble: string | undefined
  const running = run()

  return {
    warm: warm.promise,
    isWarm: () => books !== undefined,
    index: () => books?.head().index ?? 0,
    trouble: () => trouble,
    stop,
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch(fallBack)
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async function follow(): Promise<void> {
    books ??= await open()
    warm.resolve()
    for await (const sealed of journal.follow(books.head().index + 1, signal)) {
      books.take(sealed)
      trouble = undefined
    }
    trouble = undefined
  }

  async function fallBack(thrown: unknown): Promise<void> {
    if (signal.aborted) return
    if (thrown instanceof DamagedJournal) return crash(thrown)
    trouble = thrown instanceof Error ? thrown.message : String(thrown)
    log.warn({ reason: trouble }, 'following the journal was interrupted')
    if (!(thrown instanceof CompactedAway)) return
    // So far behind that batches are gone: begin again from a snapshot.
    await books?.close()
    books = undefined
  }

  async function stop(): Promise<Books | undefined> {
    stopping.abort()
    await running
    return books
  }
}
