import type { Line, Unit } from './benchmark.ts'
import { isIdle, type Machine } from './machine.ts'

type Verdict = 'pass' | 'missed' | 'not judged' | ''

export type Judged = Line & Readonly<{ benchmark: string; ratio?: number; verdict: Verdict }>

/** What the figures were made under. */
export type Circumstances = Readonly<{ date: string; machine: Machine; isQuick: boolean }>

export type Report = Circumstances & Readonly<{ lines: readonly Judged[] }>

export function judge(benchmark: string, line: Line, under: Circumstances): Judged {
  const ratio = line.floor === undefined ? undefined : line.measured / line.floor
  const judged = { ...line, benchmark, verdict: verdictOn(line, under) }
  return ratio === undefined ? judged : { ...judged, ratio }
}

function verdictOn({ measured, bar }: Line, { machine, isQuick }: Circumstances): Verdict {
  if (!bar) return ''
  if (isQuick) return 'not judged'
  const isMet = bar.kind === 'atLeast' ? measured >= bar.limit : measured <= bar.limit
  if (isMet) return 'pass'
  return bar.needsIdleMachine && !isIdle(machine) ? 'not judged' : 'missed'
}

/** A sentence for each bar that was missed, with how far. */
export function misses({ lines }: Report): string[] {
  return lines
    .filter(({ verdict }) => verdict === 'missed')
    .map(({ benchmark, what, measured, unit, bar }) => {
      const limit = bar?.limit ?? Number.NaN
      const off = Math.round(100 * Math.abs(measured / limit - 1))
      const side = bar?.kind === 'atLeast' ? 'below' : 'above'
      return (
        `${benchmark}: ${what} is ${shown(measured, unit)}, ` +
        `${off} % ${side} its bar of ${shown(limit, unit)} (${bar?.said}).`
      )
    })
}

const HEADINGS = ['what', 'measured', 'floor', 'ratio', 'bar', '']

export function asTable(report: Report): string {
  const rows = [HEADINGS, ...report.lines.map(cells)]
  const widths = HEADINGS.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const table = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  )
  return [sentence(report), '', ...table].join('\n')
}

export function asMarkdown(report: Report): string {
  const rows = [HEADINGS, ['---', '--:', '--:', '--:', '---', '---'], ...report.lines.map(cells)]
  const table = rows.map((row) => `| ${row.join(' | ')} |`)
  return [sentence(report), '', ...table].join('\n')
}

function sentence({ date, machine, isQuick }: Report): string {
  const warning = isQuick ? 'QUICK TRY, smaller and shorter than the bars ask for. ' : ''
  const others = Math.round(100 * machine.othersShare)
  return (
    `${warning}Measured on ${date.slice(0, 10)}: ${machine.cores}, ${machine.memoryGb} GB, ` +
    `Linux ${machine.kernel}, ${machine.fileSystem}, Node ${machine.node}, ` +
    `one fsync ${shown(machine.fsyncMs, 'ms')}; server and load on the same cores, ` +
    `durability on; others used ${others} % of the machine just before.`
  )
}

function cells({ what, measured, unit, floor, ratio, bar, verdict }: Judged): string[] {
  return [
    what,
    shown(measured, unit),
    floor === undefined ? '' : shown(floor, unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)} ×`,
    bar?.said ?? '',
    verdict,
  ]
}

/** Numbers stand at the right. */
const pad = (cell: string, width: number, column: number) =>
  column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width)

function shown(value: number, unit: Unit): string {
  const isCount = unit === 'reservations' || unit === 'writes'
  const digits = isCount || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const number = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`
}
