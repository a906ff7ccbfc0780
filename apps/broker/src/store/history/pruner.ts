import { type Chore, createChore } from '../../background/chore.ts'
import type { History } from '../port/history.ts'

type Settings = Readonly<{
  history: History
  now(): number
  /** --history: how long ended reservations and the grounds of decisions are kept. */
  historyMs: number
  /** Afterwards: fewer ids are remembered, so the filter is made anew. */
  refresh(): Promise<void>
}>

/** contract: a grant is remembered for 24 h after the end, and so is a tombstone. */
const REQUESTS_KEPT_MS = 24 * 60 * 60 * 1_000
const REQUESTS_PER_REQUESTER_MAX = 100_000
const EVERY_MS = 10 * 60 * 1_000

/** Forgets what is past its time, every ten minutes, in steps that no commit notices. */
export function createPruner({ history, now, historyMs, refresh }: Settings): Chore {
  return createChore({
    name: 'Forgetting old history',
    everyMs: EVERY_MS,
    work: async () => {
      await history.prune({
        endedBefore: now() - historyMs,
        requestsBefore: now() - REQUESTS_KEPT_MS,
        requestsMax: REQUESTS_PER_REQUESTER_MAX,
      })
      await refresh()
    },
  })
}
