import type { ClusterCard, Overview, ReservationRow } from '@bourse/contract/dashboard'
import { explanationHref } from '../explanation/explanation-address.ts'
import { formatCount } from '../format/amount.ts'
import { Countdown } from '../live/moments.tsx'

/** The state of the exchange at a glance. */
export function SummaryStrip({ overview }: { overview: Overview }) {
  const { clusters, clusterCount, liveCount, reservations } = overview
  const next = nextToExpire(reservations)
  return (
    <section aria-label="Summary" class="summary">
      <dl>
        <div>
          <dt>Clusters</dt>
          <dd>
            <span class="num strong">{formatCount(clusterCount)}</span>
            <Concerns clusters={clusters} />
          </dd>
        </div>
        <div>
          <dt>Live reservations</dt>
          <dd>
            <span class="num strong">{formatCount(liveCount)}</span>
            <span class="muted">{describePhases(reservations)}</span>
          </dd>
        </div>
        <div>
          <dt>Expires next</dt>
          <dd>
            {next ? (
              <NextExpiry row={next} />
            ) : (
              <span class="muted">no reservation has an end</span>
            )}
          </dd>
        </div>
      </dl>
    </section>
  )
}

type Ending = ReservationRow & Readonly<{ expiresAt: number }>

function NextExpiry({ row }: { row: Ending }) {
  return (
    <>
      <Countdown startsAt={row.startsAt} expiresAt={row.expiresAt} />
      <a class="muted" href={explanationHref(row.id)}>
        {row.requester} → {row.providers.join(', ')}
      </a>
    </>
  )
}

function nextToExpire(rows: readonly ReservationRow[]): Ending | undefined {
  const ending = rows.filter((row): row is Ending => row.expiresAt !== undefined)
  return ending.reduce<Ending | undefined>(
    (soonest, row) => (soonest && soonest.expiresAt <= row.expiresAt ? soonest : row),
    undefined,
  )
}

function describePhases(rows: readonly ReservationRow[]): string {
  const active = rows.filter((row) => row.phase === 'Active').length
  return rows.length === 0 ? 'none yet' : `${formatCount(active)} active`
}

type Concern = Readonly<{ word: string; tone: string; of(cluster: ClusterCard): boolean }>
const CONCERNS: readonly Concern[] = [
  { word: 'stale', tone: 'warn', of: ({ isStale }) => isStale },
  { word: 'cordoned', tone: 'quiet', of: ({ accepting }) => accepting === 'cordoned' },
  { word: 'withdrawn', tone: 'quiet', of: ({ accepting }) => accepting === 'withdrawn' },
  { word: 'overcommitted', tone: 'bad', of: ({ isOvercommitted }) => isOvercommitted },
]

function Concerns({ clusters }: { clusters: readonly ClusterCard[] }) {
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
