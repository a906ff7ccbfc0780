const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, in the largest unit that still tells something. */
export function formatAgo(elapsedMs: number): string {
  if (elapsedMs < 2 * SECOND) return 'just now'
  return `${formatSpan(elapsedMs)} ago`
}

function formatSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** A clock that runs down: `4:07`, `1:04:07`, and days once seconds stop mattering. */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / SECOND))
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor(seconds / 3_600) % 24
  if (days > 0) return `${days} d ${hours} h`
  const minutes = Math.floor(seconds / 60) % 60
  const clock = `${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
  return hours > 0 ? `${hours}:${clock}` : clock.replace(/^0(?=\d:)/, '')
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** For `<time dateTime>` and titles. */
export const toIso = (at: number) => new Date(at).toISOString()
