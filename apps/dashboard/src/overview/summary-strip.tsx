import type { Overview } from '@bourse/contract/dashboard'
import { explanationHref } from '../explanation/explanation-address.ts'
import { formatCount } from '../format/amount.ts'
import { Countdown } from '../live/moments.tsx'
import { Concerns } from './concerns.tsx'
import { describePhases, type Ending, nextToExpire } from './reservations.ts'

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
