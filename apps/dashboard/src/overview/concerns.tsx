import type { ClusterCard } from '@bourse/contract/dashboard'
import { formatCount } from '../format/amount.ts'

type Concern = Readonly<{ word: string; tone: string; of(cluster: ClusterCard): boolean }>
const CONCERNS: readonly Concern[] = [
  { word: 'stale', tone: 'warn', of: ({ isStale }) => isStale },
  { word: 'cordoned', tone: 'quiet', of: ({ accepting }) => accepting === 'cordoned' },
  { word: 'withdrawn', tone: 'quiet', of: ({ accepting }) => accepting === 'withdrawn' },
  { word: 'overcommitted', tone: 'bad', of: ({ isOvercommitted }) => isOvercommitted },
]

/** How many clusters are not as they should be, and how. */
export function Concerns({ clusters }: { clusters: readonly ClusterCard[] }) {
  const counts = CONCERNS.map((one) => ({ ...one, count: clusters.filter(one.of).length }))
  const present = counts.filter(({ count }) => count > 0)
  if (present.length === 0)
    return <span class="muted">{clusters.length > 0 ? 'all open and fresh' : 'none yet'}</span>
  return (
    <>
      {present.map(({ word, tone, count }) => (
        <span key={word} class={`badge ${tone}`}>
          {formatCount(count)} {word}
        </span>
      ))}
    </>
  )
}
