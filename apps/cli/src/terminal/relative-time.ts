const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** `in 59m`, `3m ago`, `now`; empty when there is no such moment. */
export function relativeTime(moment: string | undefined, now: number): string {
  const at = Date.parse(moment ?? '')
  if (Number.isNaN(at)) return ''
  const distance = shortDuration(Math.abs(at - now))
  if (distance === '0s') return 'now'
  return at > now ? `in ${distance}` : `${distance} ago`
}

/** The two largest units, the second only where it still says something: `1h30m`, `59m`, `5d`. */
export function shortDuration(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms)
  const unit = UNITS[first]
  if (!unit) return '0s'
  const rest = UNITS[first + 1]
  const whole = Math.floor(ms / unit.ms)
  const parts = rest ? Math.floor((ms % unit.ms) / rest.ms) : 0
  const isRough = whole >= 10 || parts === 0 || rest === undefined
  return isRough ? `${whole}${unit.name}` : `${whole}${unit.name}${parts}${rest.name}`
}
