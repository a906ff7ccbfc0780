import { setFlagsFromString } from 'node:v8'
import { collector } from '@bourse/daemon/heap'
import type { LedgerWriter } from './ledger/writer/ledger-writer.ts'
import type { Store } from './store/port/store.ts'

/** A pause that nobody notices; the books of a larger heap are needed, not left over. */
const COLLECTED_BYTES_MAX = 192 * 1024 * 1024
const LOOK_EVERY_MS = 1_000
/** Bursts come with pauses; a collection in each of them would cost more than it gives. */
const QUIET_LOOKS = 5
/** Fewer events than these leave nothing behind that is worth a collection. */
const WORTH_EVENTS = 1_000

type Ports = Readonly<{ writer: Pick<LedgerWriter, 'subscribe'>; store: Pick<Store, 'rest'> }>

/**
 * Filling the books wants a heap that grows in large steps; a broker at work wants one that stays
 * small: left to itself V8 takes twice the memory under load. After a burst it also keeps for long
 * what it grew to: once a while has passed without any commit, it is told to give that back, and so
 * is the store with its own thread.
 */
export function settleHeap({ writer, store }: Ports): { stop(): void } {
  setFlagsFromString('--heap-growing-percent=30')
  const collect = collector()
  let events = 0
  let eventsBefore = 0
  let quietLooks = 0
  const unsubscribe = writer.subscribe((committed) => {
    events += committed.events.length
  })
  const timer = setInterval(rest, LOOK_EVERY_MS).unref()

  function rest(): void {
    quietLooks = events === eventsBefore ? quietLooks + 1 : 0
    eventsBefore = events
    if (quietLooks < QUIET_LOOKS || events < WORTH_EVENTS) return
    events = eventsBefore = 0
    store.rest?.()
    if (process.memoryUsage().heapUsed <= COLLECTED_BYTES_MAX) collect()
  }

  return {
    stop() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}
