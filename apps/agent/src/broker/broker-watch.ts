import { type BrokerFault, isUnsupported, type WatchOptions } from '@bourse/client'
import { type Backoff, backoffMs, type Clock, pause } from '@bourse/kube'

type Ports<T> = Readonly<{
  watch(options: WatchOptions): AsyncIterable<T>
  take(answer: T): void
  /** The watch is retried after the pause. That there is no such call is told once. */
  onTrouble(error: Error, pauseMs: number): void
  /** This broker has no such call; it may be replaced by one that has. */
  onUnsupported?(): void
  clock: Clock
}>

const BACKOFF: Backoff = { baseMs: 1_000, capMs: 30_000 }

/**
 * Follows the broker until stopped. The client retries transient faults; other faults (denied,
 * revoked, not a broker) may be fixed some day, so they are retried here.
 */
export function createBrokerWatch<T>(ports: Ports<T>) {
  const { watch, take, onTrouble, clock } = ports
  const stopping = new AbortController()
  const { signal } = stopping
  const hearing = createHearing(clock)
  let failures = 0
  let isToldUnsupported = false

  function note(error: Error, pauseMs: number): void {
    if (!isUnsupported(error)) {
      hearing.lost(error)
      onTrouble(error, pauseMs)
    } else noteUnsupported(error, pauseMs)
  }

  function noteUnsupported(error: Error, pauseMs: number): void {
    hearing.heard()
    if (!isToldUnsupported) onTrouble(error, pauseMs)
    isToldUnsupported = true
    ports.onUnsupported?.()
  }

  async function follow(): Promise<void> {
    for await (const answer of watch({ signal, onTrouble: note })) {
      failures = 0
      isToldUnsupported = false
      hearing.heard()
      take(answer)
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch(async (fault: BrokerFault) => {
        if (signal.aborted) return
        const pauseMs = backoffMs(++failures, BACKOFF, clock.random())
        note(fault, pauseMs)
        await pause(clock, pauseMs, signal)
      })
    }
  }

  let running: Promise<void> | undefined
  return {
    /** Why no answer comes, once that has lasted. */
    trouble: hearing.trouble,
    start(): void {
      running ??= run()
    },
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}

/** A restarting broker is back by then. */
export const SILENCE_MAX_MS = 30_000

function createHearing({ monotonic }: Pick<Clock, 'monotonic'>) {
  let lost: Readonly<{ since: number; message: string }> | undefined = {
    since: monotonic(),
    message: 'the broker has not answered yet',
  }
  return {
    heard(): void {
      lost = undefined
    },
    lost({ message }: Error): void {
      lost = { since: lost?.since ?? monotonic(), message }
    },
    trouble(): string | undefined {
      return lost && monotonic() - lost.since >= SILENCE_MAX_MS ? lost.message : undefined
    },
  }
}
