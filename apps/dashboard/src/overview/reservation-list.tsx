import type { ReservationRow } from '@bourse/contract/dashboard'
import { useMemo, useState } from 'preact/hooks'
import { explanationHref } from '../explanation/explanation-address.ts'
import { describeWanted, formatCount } from '../format/amount.ts'
import { formatPrice } from '../format/price.ts'
import { Countdown } from '../live/moments.tsx'
import { Empty, ShowMore } from './empty.tsx'
import { describePhases, nextToExpire } from './reservations.ts'
import { Section } from './section.tsx'

type Props = Readonly<{ reservations: readonly ReservationRow[]; liveCount: number }>

const SHOWN_FIRST = 12

export function ReservationList({ reservations, liveCount }: Props) {
  const [isSoonestFirst, setSoonestFirst] = useState(false)
  const [shownMax, setShownMax] = useState(SHOWN_FIRST)
  const ordered = useMemo(
    () => (isSoonestFirst ? reservations.toSorted(bySoonestEnd) : reservations),
    [reservations, isSoonestFirst],
  )
  return (
    <Section
      id="reservations"
      title="Reservations"
      class="panel reservations"
      count={formatCount(liveCount)}
      gist={<Gist rows={reservations} />}
      controls={
        reservations.length > 1 && (
          <label class="switch">
            <input
              type="checkbox"
              checked={isSoonestFirst}
              onChange={(event) => setSoonestFirst(event.currentTarget.checked)}
            />
            expiring next first
          </label>
        )
      }
    >
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
    </Section>
  )
}

function Gist({ rows }: { rows: readonly ReservationRow[] }) {
  const next = nextToExpire(rows)
  return (
    <>
      <span>{describePhases(rows)}</span>{' '}
      {next && (
        <span>
          next ends in <Countdown startsAt={next.startsAt} expiresAt={next.expiresAt} />
        </span>
      )}
    </>
  )
}

function bySoonestEnd(a: ReservationRow, b: ReservationRow): number {
  return (a.expiresAt ?? Number.MAX_VALUE) - (b.expiresAt ?? Number.MAX_VALUE)
}

const ReservationItem = ({ row }: { row: ReservationRow }) =>
  useMemo(
    () => (
      <li class="reservation">
        <span class="parties">
          <b>{row.requester}</b> <span class="muted">on</span> <b>{row.providers.join(', ')}</b>
        </span>
        <span class={`phase ${row.phase.toLowerCase()}`}>{row.phase}</span>
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
        <span class="wanted">
          {describeWanted(row.wanted)}{' '}
          {row.pricePerHour !== undefined && (
            <span class="num muted">{formatPrice(row.pricePerHour, row.currency ?? '')}/h</span>
          )}
        </span>
        <a class="reservation-id mono muted" href={explanationHref(row.id)}>
          {row.id}
          <span class="sr-only">: why there</span>
        </a>
      </li>
    ),
    [row],
  )
