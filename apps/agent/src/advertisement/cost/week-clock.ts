import type { WeekMinute } from './tariff.ts'

const DAYS: Readonly<Record<string, number>> = {
  Mon: 0,
  Tue: 1,
  Wed: 2,
  Thu: 3,
  Fri: 4,
  Sat: 5,
  Sun: 6,
}

/** The day of the week and the minute of the day in a time zone. */
export function createWeekClock(timeZone: string): (now: number) => WeekMinute {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (now) => {
    const parts = Object.fromEntries(
      format.formatToParts(now).map(({ type, value }) => [type, value]),
    )
    const minute = Number(parts.hour) * 60 + Number(parts.minute)
    return { day: DAYS[parts.weekday ?? ''] ?? 0, minute }
  }
}
