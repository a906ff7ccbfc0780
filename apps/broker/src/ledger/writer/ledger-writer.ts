import { createSignal } from '@bourse/daemon/signal'
import type { Command, Ledger, LedgerEvent, LedgerView, Outcome } from '@bourse/domain/ledger'
import { keepShapes } from '../../cache/keep-shapes.ts'
import { sendFirst } from '../../store/port/commit-order.ts'
import type { Head, Journal } from '../../store/port/journal.ts'
import { byPriority } from './by-priority.ts'
import { type CommitMeters, createCommitLine, type Published } from './commit-line.ts'
import { type Recall, recallRequests } from './recall-requests.ts'
import { createWaitingReads, settled } from './waiting-reads.ts'
import { WriterUnavailable } from './writer-unavailable.ts'

export type { Committed, Published } from './commit-line.ts'
export { WriterUnavailable } from './writer-unavailable.ts'

/** `index`: the last commit that the outcome rests on, its own included. */
export type Answer = Readonly<{ outcome: Outcome; index: number }>

/** The only way to change the ledger: decides commands in order, answers after the commit. */
export type LedgerWriter = {
  /** Rejects with `WriterUnavailable` if it cannot be decided now (overload, no commit, closing). */
  submit(command: Command): Promise<Answer>
  /** Runs a query on committed state only: between two commits, never during one. */
  read<T>(query: (view: LedgerView, index: number) => T): Promise<T>
  /** For housekeeping that changes or copies the ledger itself: forgetting and capturing. */
  betweenCommits<T>(action: (ledger: Ledger, head: Head) => T): Promise<T>
  /** Called after each commit, in order, before its callers are answered. */
  subscribe(reader: (committed: Published) => void): () => void
  /** Why nothing can be decided now; undefined when all is well. */
  trouble(): string | undefined
  /** The last committed index. */
  index(): number
  /** The last committed batch. */
  head(): Head
  queueDepth(): number
  /** The queue is full: the next command is refused. */
  isCrowded(): boolean
  /** Total time with something to decide or to commit. */
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
  /** Why our state may be outdated; undefined while no other broker can lead. */
  whyNotLeading?(): string | undefined
  /** Why new commands are refused although commits work; undefined when there is no reason. */
  pressure(): string | undefined
  /** Commits fail, and why: nothing is decided until `resumed`. */
  halted?(reason: string): void
  resumed?(): void
  /** Another writer owns the journal, or a subscriber threw: only a restart may go on. */
  crash(cause: Error): void
  meters: WriterMeters
}>

type Pending = {
  command: Command
  answer(answer: Answer): void
  refuse(cause: Error): void
}

/** Callers in the order of their decisions, an outcome for each; all events share one commit. */
type Decided = { callers: Pending[]; outcomes: Outcome[]; events: LedgerEvent[] }

const noneDecided = (): Decided => ({ callers: [], outcomes: [], events: [] })

const BATCH_MAX = 512
/** In a crowd this share of the queue goes into one commit: turns of the event loop are long. */
const CROWD_SHARE = 1 / 2
/** About two seconds of decisions: a caller that would wait longer is refused at once. */
const QUEUE_MAX = 8_192
const CROWDED = 'Too many requests are waiting for a decision.'
/** Shorter outages do not matter: silence timeouts are hours. */
const OUTAGE_MIN_MS = 60_000

export function createLedgerWriter(ports: Ports): LedgerWriter {
  const { ledger, now, recall, crash, meters } = ports
  const commits = createSignal<[Published]>()
  const line = createCommitLine({
    journal: ports.journal,
    head: ports.head,
    writerId: ports.writerId,
    now,
    meters,
    committed: commits.tell,
  })
  const keep = keepShapes()
  const { commitOrder = sendFirst } = ports.journal
  let waiting: Pending[] = []
  let arrived = () => {}
  const reads = createWaitingReads()
  let trouble: string | undefined
  /** When we began to refuse every command; a start follows an outage of unknown length. */
  let outageSince: number | undefined = Number.NEGATIVE_INFINITY
  let isClosed = false
  /** Undefined while idle: memory equals the journal, so reads need not wait. */
  let draining: Promise<void> | undefined
  let busySince = 0
  let busyMs = 0

  return {
    submit,
    read: (query) => betweenCommits((view, { index }) => query(view, index)),
    betweenCommits,
    subscribe: commits.subscribe,
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
    const outage = trouble ?? ports.pressure()
    if (outage === undefined) endOutage()
    else outageSince ??= now()
    const obstacle = outage ?? (isCrowded() ? CROWDED : undefined)
    if (obstacle !== undefined) return Promise.reject(new WriterUnavailable(obstacle))
    return new Promise((answer, refuse) => {
      waiting.push({ command, answer, refuse })
      arrived()
      draining ??= drain().catch(crash)
    })
  }

  /** After an outage, restarts every requester's silence timeout. */
  function endOutage(): void {
    if (outageSince === undefined) return
    if (now() - outageSince > OUTAGE_MIN_MS) ledger.excuseSilence(now())
    outageSince = undefined
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
   * Decides what has arrived, commits it and answers. What arrives during a commit is decided at
   * once and shares the next commit. `commitOrder` says whether that is sent before the answers.
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
          send: () => line.commit(deciding.events, onUnknown([deciding, next])),
          answer: answered.callers.length > 0 ? () => answerAll(answered) : undefined,
        })
        await decideMeanwhile(committing, next)
        committed = decided
        decided = next
      }
      answerAll(committed)
      answerAll(decided)
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
      // Reads need memory to equal the journal, so deciding pauses for them.
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
    // The queue was filled while there was room: a commit into a full journal could not end.
    const obstacle = ports.pressure()
    if (obstacle !== undefined) return refuseWaiting(obstacle)
    waiting = byPriority(waiting)
    const callers = await recallRequests(waiting.splice(0, batchMax()), recall)
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

  function answerAll({ callers, outcomes, events }: Decided): void {
    // A commit is true whichever broker leads now; an answer without one may be outdated.
    const obstacle = events.length === 0 ? ports.whyNotLeading?.() : undefined
    const { index } = line.head()
    const [first] = callers
    if (first) keep(first.command.kind, { first, outcome: outcomes[0], event: events[0] })
    for (const [place, { answer, refuse }] of callers.entries())
      if (obstacle !== undefined) refuse(new WriterUnavailable(obstacle))
      else answer({ outcome: outcomeAt(outcomes, place), index })
  }

  /** Nothing more is decided until the commit is settled; waiting callers are refused. */
  function onUnknown(unsettled: readonly Decided[]) {
    return {
      unknown(reason: string) {
        if (trouble === undefined) ports.halted?.(reason)
        trouble = reason
        refuseWaiting(reason)
        reads.catchUp()
      },
      timedOut() {
        const unknown = new WriterUnavailable(
          `${trouble} It is not known yet whether your request was carried out: send it again with the same request id.`,
        )
        for (const { callers } of unsettled) for (const { refuse } of callers) refuse(unknown)
      },
      settled() {
        if (trouble !== undefined) ports.resumed?.()
        trouble = undefined
      },
    }
  }

  function refuseWaiting(reason: string): void {
    const refused = waiting
    waiting = []
    for (const { refuse } of refused) refuse(new WriterUnavailable(reason))
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
