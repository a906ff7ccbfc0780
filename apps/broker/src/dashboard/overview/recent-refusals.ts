import { randomBytes } from 'node:crypto'
import type { DecisionLine, Explained } from '@bourse/contract/dashboard'
import { createSignal } from '@bourse/daemon/signal'
import type { Ranking } from '@bourse/domain/placement'
import { explainRefused } from './explained.ts'

/** Refusals are not journaled (contract §4: not remembered); the page keeps the latest to show. */
export type RecentRefusals = {
  /** Notes a request that nothing fitted; the id leads to its explanation. */
  record(refusal: Readonly<{ ranking: Ranking; at: number; index: number }>): string
  /** Newest first. */
  list(): readonly DecisionLine[]
  find(id: string): Explained | undefined
  subscribe(reader: (line: DecisionLine) => void): () => void
}

const REFUSALS_MAX = 100

export function createRecentRefusals(currency: string): RecentRefusals {
  const kept = new Map<string, Explained>()
  const { subscribe, tell } = createSignal<[line: DecisionLine]>()

  return {
    record({ ranking, at, index }) {
      const id = `refused-${randomBytes(6).toString('hex')}`
      const explained = explainRefused({ id, at, index, ranking }, currency)
      kept.set(id, explained)
      const oldest = kept.keys().next().value
      if (kept.size > REFUSALS_MAX && oldest !== undefined) kept.delete(oldest)
      tell(toLine(explained))
      return id
    },

    list: () => [...kept.values()].reverse().map(toLine),
    find: (id) => kept.get(id),

    subscribe,
  }
}

function toLine({ id, at, requester, wanted, refused }: Explained): DecisionLine {
  return { kind: 'refused', id, at, requester, wanted, refused }
}
