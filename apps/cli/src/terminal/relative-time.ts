const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** From this many of a unit on, the smaller unit is left out. */
const ROUGH_FROM = 10

/** `in 59m`, `3m ago`, `now`; empty when there is no such moment. */
export function relativeTime(moment: string | undefined, now: number): string {
  const at = Date.parse(moment ?? '')
  if (Number.isNaN(at)) return ''
  const distance = shortDuration(Math.abs(at - now))
  if (distance === '0s') return 'now'
  return at > now ? `in ${distance}` : `${distance} ago`
}

/** Rounded to what is shown, so that an hour just begun is `1h` and not `59m`: `1h30m`, `5d`. */
export function shortDuration(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms)
  const unit = UNITS[first]
  if (!unit) return '0s'
  const smaller = ms >= ROUGH_FROM * unit.ms ? undefined : UNITS[first + 1]
  const step = smaller?.ms ?? unit.ms
  const rounded = Math.round(ms / step) * step
  if (rounded >= (UNITS[first - 1]?.ms ?? Number.POSITIVE_INFINITY)) return shortDuration(rounded)
  const rest = (rounded % unit.ms) / step
  const whole = `${Math.floor(rounded / unit.ms)}${unit.name}`
  return smaller && rest > 0 ? `${whole}${rest}${smaller.name}` : whole
}
