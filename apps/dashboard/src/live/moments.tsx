import { formatAgo, formatCountdown, toIso } from '../format/moment.ts'
import { useBrokerNow } from './broker-clock.ts'

export function Ago({ at }: { at: number }) {
  const now = useBrokerNow()
  return (
    <time class="num" dateTime={toIso(at)} title={toIso(at)}>
      {formatAgo(now - at)}
    </time>
  )
}

const SOON_MS = 60_000

/** Runs down to the end of a window; the bar under it is the share of the window that is left. */
export function Countdown({ startsAt, expiresAt }: { startsAt: number; expiresAt: number }) {
  const remainingMs = Math.max(0, expiresAt - useBrokerNow())
  const share = Math.min(1, remainingMs / Math.max(1, expiresAt - startsAt))
  return (
    <span class={`countdown ${remainingMs < SOON_MS ? 'soon' : ''}`}>
      <time class="num" dateTime={toIso(expiresAt)} title={toIso(expiresAt)}>
        {formatCountdown(remainingMs)}
      </time>
      <span class="countdown-track" aria-hidden="true">
        <span class="countdown-left" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  )
}
