import type { Prices } from './prices.ts'

/** Prices at certain hours of certain days. */
export type Tariff = Readonly<{
  /** 0 is Monday. */
  days: readonly number[]
  /** Minutes of the day, the end excluded. Over midnight if the end is smaller. */
  fromMinute: number
  toMinute: number
  prices: Prices
}>

export type TariffReading =
  | Readonly<{ kind: 'tariff'; tariff: Tariff }>
  | Readonly<{ kind: 'bad'; problem: string }>

/** A moment of the week, in the tariffs' time zone. */
export type WeekMinute = Readonly<{ day: number; minute: number }>

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const FORM = /^(\S+)\s+(\d\d?):(\d\d)-(\d\d?):(\d\d)((?:\s+[a-z-]+=\S+)+)$/
const DAY_MINUTES = 24 * 60

/** `mon-fri 08:00-20:00 cpu-cost=0.06`. */
export function parseTariff(
  line: string,
  pricesOf: (written: Record<string, string>) => Prices,
): TariffReading {
  const [, days = '', fromHour, fromPart, toHour, toPart, rest = ''] = FORM.exec(line) ?? []
  const listed = daysOf(days)
  const fromMinute = Number(fromHour) * 60 + Number(fromPart)
  const toMinute = Number(toHour) * 60 + Number(toPart)
  const isSound = listed && fromMinute < DAY_MINUTES && toMinute <= DAY_MINUTES
  if (!isSound) return { kind: 'bad', problem: complaint(line) }
  const written = Object.fromEntries(
    rest
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]), // the form has one = in each
  )
  return {
    kind: 'tariff',
    tariff: { days: listed, fromMinute, toMinute, prices: pricesOf(written) },
  }
}

/** The first tariff that matches the moment. */
export function tariffAt(tariffs: readonly Tariff[], at: WeekMinute): Tariff | undefined {
  return tariffs.find((tariff) => fits(tariff, at))
}

function fits({ days, fromMinute, toMinute }: Tariff, { day, minute }: WeekMinute): boolean {
  if (fromMinute < toMinute) return days.includes(day) && minute >= fromMinute && minute < toMinute
  // Over midnight: the evening of a listed day, or the morning after one.
  const yesterday = (day + 6) % 7
  return (
    (days.includes(day) && minute >= fromMinute) || (days.includes(yesterday) && minute < toMinute)
  )
}

function daysOf(written: string): number[] | undefined {
  if (written === 'daily') return DAYS.map((_, day) => day)
  const found = written.split(',').map(rangeOf)
  return found.some((range) => range === undefined)
    ? undefined
    : found.flatMap((range) => range ?? [])
}

function rangeOf(written: string): number[] | undefined {
  const [first = '', last = first] = written.split('-')
  const from = DAYS.indexOf(first)
  const to = DAYS.indexOf(last)
  if (from < 0 || to < 0) return undefined
  const length = ((to - from + 7) % 7) + 1
  return Array.from({ length }, (_, at) => (from + at) % 7)
}

function complaint(line: string): string {
  return `tariffs has ${JSON.stringify(line)}: write lines such as mon-fri 08:00-20:00 cpu-cost=0.06`
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
    return { day: DAYS.indexOf(parts.weekday?.toLowerCase() ?? ''), minute }
  }
}
