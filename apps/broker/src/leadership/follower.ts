import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Replica } from '../ledger/opening/open-replica.ts'
import { CompactedAway, DamagedJournal, type Journal } from '../store/port/journal.ts'

type Ports = Readonly<{
  journal: Pick<Required<Journal>, 'follow'>
  /** Reads the journal into a replica. */
  open(): Promise<Replica>
  log: Logger
  /** The journal is damaged, which a restart cannot repair. */
  crash(cause: Error): void
}>

const RETRY_MS = 500

/** Applies what the leader commits, so that this standby can take over at once. */
export function startFollower({ journal, open, log, crash }: Ports) {
  const stopping = new AbortController()
  const { signal } = stopping
  const warm = Promise.withResolvers<void>()
  let replica: Replica | undefined
  let trouble: string | undefined
  const running = run()

  return {
    /** Resolves when the replica is open: this broker can lead from now on. */
    warm: warm.promise,
    isWarm: () => replica !== undefined,
    index: () => replica?.head().index ?? 0,
    /** Why it cannot follow the journal; undefined when it can. */
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
    replica ??= await open()
    warm.resolve()
    for await (const sealed of journal.follow(replica.head().index + 1, signal)) {
      replica.take(sealed)
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
    // The batches that follow are compacted away: begin again from a snapshot.
    await replica?.close()
    replica = undefined
  }

  /** Ends following and returns the replica. */
  async function stop(): Promise<Replica | undefined> {
    stopping.abort()
    await running
    return replica
  }
}
