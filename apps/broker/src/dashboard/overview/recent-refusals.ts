import { randomBytes } from 'node:crypto'
import type { DecisionLine, Explained } from '@bourse/contract/dashboard'
import { createSignal } from '@bourse/daemon/signal'
import type { Ranking } from '@bourse/domain/placement'
import { explainRefused } from './explained.ts'

export type RecentRefusals = ReturnType<typeof createRecentRefusals>
type Refusal = Readonly<{ ranking: Ranking; at: number; index: number }>

const REFUSALS_MAX = 100

/** Refusals are not journaled (contract §4: not remembered); the page keeps the latest to show. */
export function createRecentRefusals(currency: string) {
  const kept = new Map<string, Explained>()
  const { subscribe, tell } = createSignal<[line: DecisionLine]>()

  return {
    /** Notes a request that no cluster fitted; the id leads to its explanation. */
    record({ ranking, at, index }: Refusal): string {
      const id = `refused-${randomBytes(6).toString('hex')}`
      const explained = explainRefused({ id, at, index, ranking }, currency)
      kept.set(id, explained)
      const oldest = kept.keys().next().value
      if (kept.size > REFUSALS_MAX && oldest !== undefined) kept.delete(oldest)
      tell(toLine(explained))
      return id
    },

    /** Newest first. */
    list: (): readonly DecisionLine[] => [...kept.values()].reverse().map(toLine),
    find: (id: string) => kept.get(id),
    subscribe,
  }
}

function toLine({ id, at, requester, wanted, refused }: Explained): DecisionLine {
  return { kind: 'refused', id, at, requester, wanted, refused }
}
