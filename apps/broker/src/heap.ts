import { setFlagsFromString } from 'node:v8'
import type { Connections } from '@bourse/daemon/connections'
import { collector } from '@bourse/daemon/heap'
import type { Logger } from 'pino'
import type { LedgerWriter } from './ledger/writer/ledger-writer.ts'
import type { Store } from './store/port/store.ts'

/** A short pause. In a larger heap most bytes are in use, so a collection would free little. */
const COLLECTED_BYTES_MAX = 192 * 1024 * 1024
const LOOK_EVERY_MS = 1_000
/** Bursts come with pauses; a collection in each of them would cost more than it gives. */
const QUIET_LOOKS = 5
/** Probes, scrapes and signs of life never end: a look with no more work than this is quiet. */
const QUIET_WORK = 20
/** Less work than this leaves nothing behind that is worth a collection. */
const WORTH_WORK = 1_000

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'subscribe'>
  store: Pick<Store, 'rest'>
  connections: Pick<Connections, 'turnover'>
  log: Pick<Logger, 'debug'>
}>

/**
 * Keeps the heap small. Reading a ledger needs a heap that grows in large steps; afterwards V8
 * would take twice the memory under load. After a burst of commits or connections V8 also keeps
 * what it grew to: once the burst is over, V8 and the store's thread are told to give it back.
 */
export function settleHeap({ writer, store, connections, log }: Ports): { stop(): void } {
  setFlagsFromString('--heap-growing-percent=30')
  const collect = collector()
  let events = 0
  const unsubscribe = writer.subscribe((committed) => {
    events += committed.events.length
  })
  const look = watchBursts(() => events + connections.turnover(), rest)
  const timer = setInterval(look, LOOK_EVERY_MS).unref()

  function rest(): void {
    store.rest?.()
    const before = process.memoryUsage()
    if (before.heapUsed > COLLECTED_BYTES_MAX) return
    collect()
    const bytes = before.rss - process.memoryUsage.rss()
    log.debug({ bytes }, 'a burst is over: memory was released')
  }

  return {
    stop() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}

/** To be called at equal intervals: tells when a burst of work is over. */
export function watchBursts(workSoFar: () => number, over: () => void): () => void {
  let seen = workSoFar()
  let burst = 0
  let quietLooks = 0

  return () => {
    const now = workSoFar()
    const work = now - seen
    seen = now
    if (work > QUIET_WORK) {
      burst += work
      quietLooks = 0
      return
    }
    quietLooks += 1
    if (quietLooks < QUIET_LOOKS || burst < WORTH_WORK) return
    burst = 0
    over()
  }
}
