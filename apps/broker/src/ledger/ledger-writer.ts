import type {
  Command,
  Ledger,
  LedgerEvent,
  LedgerView,
  Outcome,
  RememberedRequest,
} from '@bourse/domain/ledger'
import { sealBatch } from '../journal/batch.ts'
import type { Head, Journal, SealedBatch } from '../journal/journal.ts'

/** One durable batch, as after-commit readers (metrics, audit, history, streams) see it. */
export type Committed = Readonly<{
  index: number
  at: number
  events: readonly LedgerEvent[]
  /** How long the journal needed for it. */
  tookMs?: number
}>

export type Answer = Readonly<{ outcome: Outcome; index: number }>

/** The only door to the ledger: decides in order of arrival, answers after the commit. */
export type LedgerWriter = {
  /** Rejects with `WriterUnavailable` when it cannot be decided now (overload, no commit, closing). */
  submit(command: Command): Promise<Answer>
  /** Runs a query on committed state: between two commits, never during one. */
  read<T>(query: (view: LedgerView, index: number) => T): Promise<T>
  /** For housekeeping that touches the ledger itself: forgetting and capturing. */
  betweenCommits<T>(action: (ledger: Ledger, head: Head) => T): Promise<T>
  /** Called after each commit, in order, before anything else is decided. */
  subscribe(reader: (committed: Committed) => void): () => void
  /** Why nothing can be decided now; undefined when all is well. */
  trouble(): string | undefined
  /** The last committed index. */
  index(): number
  queueDepth(): number
  /** Takes nothing more, finishes what it took. */
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

export type WriterMeters = {
  decided(outcome: Outcome, tookMs: number): void
  committed(eventCount: number, tookMs: number): void
  unsettled(outcome: 'fenced' | 'unknown'): void
}

type Ports = Readonly<{
  ledger: Ledger
  journal: Journal
  head: Head
  writerId: string
  now(): number
  /** What the history on disk knows of a request id; undefined at once if surely nothing. */
  recall(command: Command): Promise<RememberedRequest | undefined> | undefined
  /** Why another broker may know better by now; undefined while nobody else can lead. */
  ousted?(): string | undefined
  /** Why nothing new should be taken though commits work; undefined when there is no reason. */
  pressure(): string | undefined
  /** Another writer owns the journal, or a reader failed: only a restart may go on. */
  crash(cause: Error): void
  meters: WriterMeters
}>

type Pending = {
  command: Command
  answer(answer: Answer): void
  refuse(cause: Error): void
}

const BATCH_MAX = 512
const QUEUE_MAX = 20_000
const RESEND_FIRST_MS = 50
const RESEND_MAX_MS = 1_000
/** How long a caller waits for an unknown commit to be settled before it is told to ask again. */
const PATIENCE_MS = 5_000

export function createLedgerWriter(ports: Ports): LedgerWriter {
  const { ledger, journal, writerId, now, recall, crash, meters } = ports
  const { batchCharactersMax = Number.POSITIVE_INFINITY } = journal
  let head = ports.head
  let waiting: Pending[] = []
  let reading: (() => void)[] = []
  const readers = new Set<(committed: Committed) => void>()
  let trouble: string | undefined
  let isClosed = false
  /** undefined while idle; memory equals the journal then, so reads need not wait. */
  let draining: Promise<void> | undefined

  return {
    submit,
    read: (query) => betweenCommits((view, { index }) => query(view, index)),
    betweenCommits,
    subscribe,
    trouble: () => trouble ?? ports.pressure() ?? (isClosed ? 'the broker is stopping' : undefined),
    index: () => head.index,
    queueDepth: () => waiting.length,
    close,
  }

  function submit(command: Command): Promise<Answer> {
    if (isClosed) return Promise.reject(new WriterUnavailable('The broker is stopping.'))
    const obstacle = trouble ?? ports.pressure() ?? crowding()
    if (obstacle !== undefined) return Promise.reject(new WriterUnavailable(obstacle))
    return new Promise((answer, refuse) => {
      waiting.push({ command, answer, refuse })
      draining ??= drain().catch(crash)
    })
  }

  function crowding(): string | undefined {
    return waiting.length < QUEUE_MAX ? undefined : 'Too many requests are waiting for a decision.'
  }

  function betweenCommits<T>(action: (ledger: Ledger, head: Head) => T): Promise<T> {
    if (!draining) return new Promise((resolve) => resolve(action(ledger, head)))
    if (trouble !== undefined) return Promise.reject(new WriterUnavailable(trouble))
    return new Promise((resolve, reject) => {
      reading.push(() => {
        if (trouble !== undefined) return reject(new WriterUnavailable(trouble))
        // A query that throws must fail its asker, not the writer.
        new Promise<T>((settle) => settle(action(ledger, head))).then(resolve, reject)
      })
    })
  }

  async function drain(): Promise<void> {
    // Everything that this turn of the event loop brings shares one commit.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX)
      const commands = await recollect(batch)
      const answers = decide(commands)
      const events = answers.flatMap((one) => one.events)
      if (events.length > 0) await commit(events, batch)
      // What was committed is true whoever leads now; anything else may not be true any more.
      const doubt = events.length === 0 ? ports.ousted?.() : undefined
      for (const [place, { answer, refuse }] of batch.entries())
        if (doubt !== undefined) refuse(new WriterUnavailable(doubt))
        else answer({ outcome: outcomeAt(answers, place), index: head.index })
      catchUpReads()
    }
    draining = undefined
  }

  async function recollect(batch: readonly Pending[]): Promise<Command[]> {
    const commands: Command[] = []
    for (const { command } of batch) {
      const asked = recall(command)
      const remembered = asked && (await asked)
      commands.push(remembered ? withMemory(command, remembered) : command)
    }
    return commands
  }

  function decide(commands: readonly Command[]) {
    const index = head.index + 1
    return commands.map((command) => {
      const startedAt = performance.now()
      const decided = ledger.execute(command, { now: now(), index })
      meters.decided(decided.outcome, performance.now() - startedAt)
      return decided
    })
  }

  /**
   * One batch, or several where the store's are small: then a kill in between keeps a beginning of
   * what was decided, each event of which stands by itself, and nobody has been told of any.
   */
  async function commit(events: LedgerEvent[], batch: readonly Pending[]): Promise<void> {
    const at = now()
    const index = head.index + 1
    const sealed = sealBatch({ index, writer: writerId, previous: head.hash, at, events })
    if (sealed.text.length > batchCharactersMax && events.length > 1) {
      const middle = Math.ceil(events.length / 2)
      await commit(events.slice(0, middle), batch)
      return commit(events.slice(middle), batch)
    }
    const startedAt = performance.now()
    await settle(sealed, batch)
    const tookMs = performance.now() - startedAt
    meters.committed(events.length, tookMs)
    head = { index, hash: sealed.hash }
    for (const reader of readers) reader({ index, at, events, tookMs })
  }

  /** Sends the identical bytes until somebody can say whose this index is. */
  async function settle(sealed: SealedBatch, batch: readonly Pending[]): Promise<void> {
    let resendMs = RESEND_FIRST_MS
    for (const startedAt = performance.now(); ; ) {
      const appended = await journal.append(sealed)
      if (appended.kind === 'committed') break
      meters.unsettled(appended.kind)
      if (appended.kind === 'fenced')
        throw new Error(
          `Another writer (${appended.by}) owns the journal at index ${sealed.index}.`,
        )
      suspend(`The journal cannot commit: ${appended.cause.message}`)
      if (performance.now() - startedAt > PATIENCE_MS) sendAway(batch)
      await sleep(resendMs)
      resendMs = Math.min(2 * resendMs, RESEND_MAX_MS)
    }
    trouble = undefined
  }

  /** Nothing more is decided until the commit is settled; whoever has not been decided may go. */
  function suspend(reason: string): void {
    trouble = reason
    const turnedAway = waiting
    waiting = []
    for (const { refuse } of turnedAway) refuse(new WriterUnavailable(reason))
    catchUpReads()
  }

  function sendAway(batch: readonly Pending[]): void {
    const unknown = new WriterUnavailable(
      `${trouble} Whether your request was carried out is not known yet: send it again with the same request id.`,
    )
    for (const { refuse } of batch) refuse(unknown)
  }

  function catchUpReads(): void {
    const queries = reading
    reading = []
    for (const query of queries) query()
  }

  function subscribe(reader: (committed: Committed) => void): () => void {
    readers.add(reader)
    return () => readers.delete(reader)
  }

  async function close(): Promise<void> {
    isClosed = true
    await draining
  }
}

function outcomeAt(answers: readonly { outcome: Outcome }[], place: number): Outcome {
  const answer = answers[place]
  if (!answer) throw new Error('A command was left without an outcome.')
  return answer.outcome
}

function withMemory(command: Command, remembered: RememberedRequest): Command {
  if (command.kind !== 'reserve' && command.kind !== 'releaseRequest') return command
  return { ...command, remembered }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
