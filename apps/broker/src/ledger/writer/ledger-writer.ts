import type { Command, Ledger, LedgerEvent, LedgerView, Outcome } from '@bourse/domain/ledger'
import { keepShapes } from '../../cache/keep-shapes.ts'
import { sendFirst } from '../../store/port/commit-order.ts'
import type { Head, Journal } from '../../store/port/journal.ts'
import { byPriority } from './by-priority.ts'
import { type CommitMeters, createCommitLine, type Published } from './commit-line.ts'
import { type Recall, recollect } from './recall-requests.ts'
import { createWaitingReads, settled } from './waiting-reads.ts'
import { WriterUnavailable } from './writer-unavailable.ts'

export type { Committed, Published } from './commit-line.ts'
export { WriterUnavailable } from './writer-unavailable.ts'

export type Answer = Readonly<{ outcome: Outcome; index: number }>

/** The only door to the ledger: decides one after the other, answers after the commit. */
export type LedgerWriter = {
  /** Rejects with `WriterUnavailable` when it cannot be decided now (overload, no commit, closing). */
  submit(command: Command): Promise<Answer>
  /** Runs a query on committed state: while nothing is decided that the journal does not have. */
  read<T>(query: (view: LedgerView, index: number) => T): Promise<T>
  /** For housekeeping that touches the ledger itself: forgetting and capturing. */
  betweenCommits<T>(action: (ledger: Ledger, head: Head) => T): Promise<T>
  /** Called after each commit, in order, before anybody is answered. */
  subscribe(reader: (committed: Published) => void): () => void
  /** Why nothing can be decided now; undefined when all is well. */
  trouble(): string | undefined
  /** The last committed index. */
  index(): number
  /** The last committed batch. */
  head(): Head
  queueDepth(): number
  /** So much waits that nothing more is taken. */
  isCrowded(): boolean
  /** For how long, of all its time, it has had something to decide or to commit. */
  busyMs(): number
  /** Takes nothing more, finishes what it took. */
  close(): Promise<void>
}

export type WriterMeters = CommitMeters & { decided(outcome: Outcome, tookMs: number): void }

type Ports = Readonly<{
  ledger: Ledger
  journal: Journal
  head: Head
  writerId: string
  /** Becomes part of the ids that this writer gives. */
  term?: string | undefined
  now(): number
  recall: Recall
  /** Why another broker may know better by now; undefined while nobody else can lead. */
  whyNotLeading?(): string | undefined
  /** Why nothing new should be taken though commits work; undefined when there is no reason. */
  pressure(): string | undefined
  /** Nothing is decided from now on, and why; then, that it goes on. */
  halted?(reason: string): void
  resumed?(): void
  /** Another writer owns the journal, or a reader failed: only a restart may go on. */
  crash(cause: Error): void
  meters: WriterMeters
}>

type Pending = {
  command: Command
  answer(answer: Answer): void
  refuse(cause: Error): void
}

/** In the order in which they were decided; the events of all of them share a commit. */
type Decided = { callers: Pending[]; outcomes: Outcome[]; events: LedgerEvent[] }

const noneDecided = (): Decided => ({ callers: [], outcomes: [], events: [] })

const BATCH_MAX = 512
/** Of a crowd as much as this shares a commit: turns of the event loop are long then, and few. */
const CROWD_SHARE = 1 / 2
/** About two seconds of decisions: whoever waits longer is better told at once to come again. */
const QUEUE_MAX = 8_192
const CROWDED = 'Too many requests are waiting for a decision.'
/** Shorter pauses count for nothing against a limit of hours. */
const DEAF_MIN_MS = 60_000

export function createLedgerWriter(ports: Ports): LedgerWriter {
  const { ledger, now, recall, crash, meters } = ports
  const readers = new Set<(committed: Published) => void>()
  const line = createCommitLine({
    ...ports,
    committed(batch) {
      for (const reader of readers) reader(batch)
    },
  })
  const keep = keepShapes()
  const { commitOrder = sendFirst } = ports.journal
  let waiting: Pending[] = []
  let arrived = () => {}
  const reads = createWaitingReads()
  let trouble: string | undefined
  /** Since when nobody is listened to; before our time nobody was. */
  let deafSince: number | undefined = Number.NEGATIVE_INFINITY
  let isClosed = false
  /** undefined while idle; memory equals the journal then, so reads need not wait. */
  let draining: Promise<void> | undefined
  let busySince = 0
  let busyMs = 0

  return {
    submit,
    read: (query) => betweenCommits((view, { index }) => query(view, index)),
    betweenCommits,
    subscribe,
    trouble: () => trouble ?? ports.pressure() ?? (isClosed ? 'the broker is stopping' : undefined),
    index: () => line.head().index,
    head: line.head,
    queueDepth: () => waiting.length,
    isCrowded,
    busyMs: () => busyMs + (draining ? performance.now() - busySince : 0),
    close,
  }

  function submit(command: Command): Promise<Answer> {
    if (isClosed) return Promise.reject(new WriterUnavailable('The broker is stopping.'))
    const deafness = trouble ?? ports.pressure()
    if (deafness === undefined) listenAgain()
    else deafSince ??= now()
    const obstacle = deafness ?? (isCrowded() ? CROWDED : undefined)
    if (obstacle !== undefined) return Promise.reject(new WriterUnavailable(obstacle))
    return new Promise((answer, refuse) => {
      waiting.push({ command, answer, refuse })
      arrived()
      draining ??= drain().catch(crash)
    })
  }

  /** Whoever could not be heard is not taken for silent before it has had a chance to speak. */
  function listenAgain(): void {
    if (deafSince === undefined) return
    if (now() - deafSince > DEAF_MIN_MS) ledger.excuseSilence(now())
    deafSince = undefined
  }

  function isCrowded(): boolean {
    return waiting.length >= QUEUE_MAX
  }

  function batchMax(): number {
    return Math.max(BATCH_MAX, Math.ceil(waiting.length * CROWD_SHARE))
  }

  function betweenCommits<T>(action: (ledger: Ledger, head: Head) => T): Promise<T> {
    const read = () => {
      if (draining && trouble !== undefined) throw new WriterUnavailable(trouble)
      return action(ledger, line.head())
    }
    return draining && trouble === undefined ? reads.wait(read) : settled(read)
  }

  /**
   * Decides what has arrived, commits it and answers. What arrives while the store works is decided
   * meanwhile and shares the next commit, which a store far away has before the last is answered.
   */
  async function drain(): Promise<void> {
    busySince = performance.now()
    // Everything that this turn of the event loop brings shares one commit.
    await nextTurn()
    while (waiting.length > 0) {
      let decided = noneDecided()
      let committed = noneDecided()
      await decideInto(decided)
      while (decided.events.length > 0) {
        const next = noneDecided()
        const deciding = decided
        const answered = committed
        const { committing } = await commitOrder({
          send: () => line.commit(deciding.events, doubtOf([deciding, next])),
          answer: answered.callers.length > 0 ? () => tell(answered) : undefined,
        })
        await decideMeanwhile(committing, next)
        committed = decided
        decided = next
      }
      tell(committed)
      tell(decided)
      reads.catchUp()
    }
    busyMs += performance.now() - busySince
    draining = undefined
  }

  async function decideMeanwhile(committing: Promise<void>, next: Decided): Promise<void> {
    let isCommitted = false
    const committed = committing.then(() => {
      isCommitted = true
    })
    while (!isCommitted) {
      await Promise.race([committed, arrival()])
      if (isCommitted) return
      await nextTurn()
      // Reads want memory when the journal has all of it, so that deciding pauses for them.
      const isFull = next.callers.length >= batchMax()
      if (isFull || reads.areWaiting() || trouble !== undefined) return committed
      await decideInto(next)
    }
  }

  function arrival(): Promise<void> {
    if (waiting.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      arrived = resolve
    })
  }

  async function decideInto(decided: Decided): Promise<void> {
    // Much may have been taken in while there was room for it: beyond it, a commit could not end.
    const obstacle = ports.pressure()
    if (obstacle !== undefined) return turnAway(obstacle)
    waiting = byPriority(waiting)
    const callers = await recollect(waiting.splice(0, batchMax()), recall)
    const index = line.nextIndex()
    for (const { command } of callers) {
      const { outcome, events } = decide(command, index)
      decided.outcomes.push(outcome)
      decided.events.push(...events)
    }
    decided.callers.push(...callers)
  }

  function decide(command: Command, index: number) {
    const startedAt = performance.now()
    const decided = ledger.execute(command, { now: now(), index, term: ports.term })
    meters.decided(decided.outcome, performance.now() - startedAt)
    return decided
  }

  function tell({ callers, outcomes, events }: Decided): void {
    // What was committed is true whoever leads now; anything else may not be true any more.
    const doubt = events.length === 0 ? ports.whyNotLeading?.() : undefined
    const { index } = line.head()
    const [first] = callers
    if (first) keep(first.command.kind, { first, outcome: outcomes[0], event: events[0] })
    for (const [place, { answer, refuse }] of callers.entries())
      if (doubt !== undefined) refuse(new WriterUnavailable(doubt))
      else answer({ outcome: outcomeAt(outcomes, place), index })
  }

  /** Nothing more is decided until the commit is settled; whoever has not been decided may go. */
  function doubtOf(undecided: readonly Decided[]) {
    return {
      unknown(reason: string) {
        if (trouble === undefined) ports.halted?.(reason)
        trouble = reason
        turnAway(reason)
        reads.catchUp()
      },
      outlasted() {
        const unknown = new WriterUnavailable(
          `${trouble} Whether your request was carried out is not known yet: send it again with the same request id.`,
        )
        for (const { callers } of undecided) for (const { refuse } of callers) refuse(unknown)
      },
      settled() {
        if (trouble !== undefined) ports.resumed?.()
        trouble = undefined
      },
    }
  }

  /** Whoever has not been decided. */
  function turnAway(reason: string): void {
    const turnedAway = waiting
    waiting = []
    for (const { refuse } of turnedAway) refuse(new WriterUnavailable(reason))
  }

  function subscribe(reader: (committed: Published) => void): () => void {
    readers.add(reader)
    return () => readers.delete(reader)
  }

  async function close(): Promise<void> {
    isClosed = true
    await draining
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function outcomeAt(outcomes: readonly Outcome[], place: number): Outcome {
  const outcome = outcomes[place]
  if (!outcome) throw new Error('A command was left without an outcome.')
  return outcome
}
