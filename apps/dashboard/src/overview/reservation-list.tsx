import type { ReservationRow } from '@bourse/contract/dashboard'
import { useMemo, useState } from 'preact/hooks'
import { explanationHref } from '../explanation/explanation-address.ts'
import { describeWanted, formatCount } from '../format/amount.ts'
import { formatPrice } from '../format/price.ts'
import { Countdown } from '../live/moments.tsx'
import { Empty, ShowMore } from './empty.tsx'

type Props = Readonly<{ reservations: readonly ReservationRow[]; liveCount: number }>

const SHOWN_FIRST = 20

export function ReservationList({ reservations, liveCount }: Props) {
  const [isSoonestFirst, setSoonestFirst] = useState(false)
  const [shownMax, setShownMax] = useState(SHOWN_FIRST)
  const ordered = useMemo(
    () => (isSoonestFirst ? reservations.toSorted(bySoonestEnd) : reservations),
    [reservations, isSoonestFirst],
  )
  return (
    <section aria-labelledby="reservations" class="panel">
      <div class="section-head">
        <h2 id="reservations">
          Reservations <span class="count num">{formatCount(liveCount)}</span>
        </h2>
        {reservations.length > 1 && (
          <label class="switch">
            <input
              type="checkbox"
              checked={isSoonestFirst}
              onChange={(event) => setSoonestFirst(event.currentTarget.checked)}
            />
            expiring next first
          </label>
        )}
      </div>
      {reservations.length === 0 && (
        <Empty title="Nothing is reserved">
          A request that fits somewhere appears here at once. <code>bourse reserve --help</code>{' '}
          shows how to make one.
        </Empty>
      )}
      <ul class="rows">
        {ordered.slice(0, shownMax).map((row) => (
          <ReservationItem key={row.id} row={row} />
        ))}
      </ul>
      <ShowMore
        hiddenCount={liveCount - Math.min(shownMax, reservations.length)}
        what="reservations"
        onShow={() => setShownMax(shownMax + 5 * SHOWN_FIRST)}
      />
    </section>
  )
}

function bySoonestEnd(a: ReservationRow, b: ReservationRow): number {
  return (a.expiresAt ?? Number.MAX_VALUE) - (b.expiresAt ?? Number.MAX_VALUE)
}

const ReservationItem = ({ row }: { row: ReservationRow }) =>
  useMemo(
    () => (
      <li class="reservation">
        <span class={`phase ${row.phase.toLowerCase()}`}>{row.phase}</span>
        <span class="parties">
          <b>{row.requester}</b> <span class="muted">on</span> <b>{row.providers.join(', ')}</b>
          <a class="reservation-id mono muted" href={explanationHref(row.id)}>
            {row.id}
            <span class="sr-only">: why there</span>
          </a>
        </span>
        <span class="wanted num">{describeWanted(row.wanted)}</span>
        <span class="row-price num muted">
          {row.pricePerHour !== undefined &&
            `${formatPrice(row.pricePerHour, row.currency ?? '')}/h`}
        </span>
        <span class="ends">
          {row.expiresAt === undefined ? (
            <span class="muted">until released</span>
          ) : (
            <>
              <span class="sr-only">expires in </span>
              <Countdown startsAt={row.startsAt} expiresAt={row.expiresAt} />
            </>
          )}
        </span>
      </li>
    ),
    [row],
  )
