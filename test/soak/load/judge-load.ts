import { median } from '../../bench/harness/statistics.ts'
import type { LoadOutcome, LoadScale } from './run-load.ts'

export type Verdict = Readonly<{ what: string; measured: string; bar: string; holds: boolean }>

export type LoadBars = Readonly<{
  /** Of the last third to the first, beside what a heap wanders by. */
  rssGrowthMax: number
  rssSlackMb: number
  p99GrowthMax: number
  /** Below this, how much p99 grows says nothing. */
  p99FloorMs: number
  recoveredWithinMs: number
  /** Of what was asked for. */
  rateShareMin: number
  burstRssMbMax: number
}>

/** What is promised, on a machine that has nothing else to do. */
export const QUIET_BARS: LoadBars = {
  rssGrowthMax: 1.1,
  rssSlackMb: 30,
  p99GrowthMax: 2,
  p99FloorMs: 10,
  recoveredWithinMs: 5_000,
  rateShareMin: 0.98,
  burstRssMbMax: 250,
}

/** Each promise about load, what was seen, and whether it holds. */
export function judgeLoad(
  { spells, overload, recoveredMs, rssMb, audit }: LoadOutcome,
  { reservationsPerSecond }: LoadScale,
  bars: LoadBars,
): Verdict[] {
  const [rssFirst, rssLast] = thirds(spells.map((one) => one.rssMb))
  const [p99First, p99Last] = thirds(spells.map(({ p99 }) => p99))
  const growth = Math.max(p99Last, bars.p99FloorMs) / Math.max(p99First, bars.p99FloorMs)
  const rate = median(spells.map(({ reservations, seconds }) => reservations / seconds))
  const failed = spells.flatMap(({ statuses }) => failuresIn(statuses))
  const { 201: served = 0, 429: limited = 0, 503: unavailable = 0 } = overload.statuses
  const strange = failuresIn(overload.statuses).filter((one) => !/^(429|503|0):/.test(one))
  return [
    {
      what: 'reservations a second',
      measured: rate.toFixed(0),
      bar: `≥ ${bars.rateShareMin * reservationsPerSecond}`,
      holds: rate >= bars.rateShareMin * reservationsPerSecond,
    },
    {
      what: 'answers that were no success',
      measured: failed.join(', ') || 'none',
      bar: 'none',
      holds: failed.length === 0,
    },
    {
      what: 'memory, first third to last',
      measured: `${rssFirst.toFixed(0)} to ${rssLast.toFixed(0)} MB`,
      bar: `≤ ${bars.rssGrowthMax} × and ${bars.rssSlackMb} MB`,
      holds: rssLast <= bars.rssGrowthMax * rssFirst + bars.rssSlackMb,
    },
    {
      what: 'p99 of a reservation, first third to last',
      measured: `${p99First.toFixed(1)} to ${p99Last.toFixed(1)} ms`,
      bar: `≤ ${bars.p99GrowthMax} ×`,
      holds: growth <= bars.p99GrowthMax,
    },
    {
      what: 'overload: refused with 429 or 503',
      measured: `${limited + unavailable} (${served} served)`,
      bar: '> 0, and some served',
      holds: limited + unavailable > 0 && served > 0,
    },
    {
      what: 'overload: any other failure',
      measured: strange.join(', ') || 'none',
      bar: 'none',
      holds: strange.length === 0,
    },
    {
      what: 'overload: memory at most',
      measured: `${rssMb.peak.toFixed(0)} MB (${rssMb.before.toFixed(0)} before)`,
      bar: `≤ ${bars.burstRssMbMax} MB more`,
      holds: rssMb.peak <= rssMb.before + bars.burstRssMbMax,
    },
    {
      what: 'overload: served as before, after its end',
      measured: `${(recoveredMs / 1_000).toFixed(1)} s`,
      bar: `≤ ${bars.recoveredWithinMs / 1_000} s`,
      holds: recoveredMs <= bars.recoveredWithinMs,
    },
    {
      what: 'auditor',
      measured: `${audit.state}, ${audit.findings.length} findings`,
      bar: 'consistent',
      holds: audit.state === 'consistent' && audit.findings.length === 0,
    },
  ]
}

/** Medians of the first and the last third; the first spell compiles and fills caches. */
function thirds(values: readonly number[]): [first: number, last: number] {
  const steady = values.length > 3 ? values.slice(1) : values
  const size = Math.max(1, Math.floor(steady.length / 3))
  return [median(steady.slice(0, size)), median(steady.slice(-size))]
}

function failuresIn(statuses: Readonly<Record<number, number>>): string[] {
  return Object.entries(statuses)
    .filter(([status]) => !/^2/.test(status))
    .map(([status, count]) => `${status}: ${count}`)
}
