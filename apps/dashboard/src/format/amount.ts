import type { Amounts } from '@bourse/contract/dashboard'

const KNOWN: Readonly<Record<string, { label: string; rank: number }>> = {
  cpu: { label: 'CPU', rank: 0 },
  memory: { label: 'Memory', rank: 1 },
  'nvidia.com/gpu': { label: 'GPU', rank: 2 },
  'ephemeral-storage': { label: 'Storage', rank: 3 },
  pods: { label: 'Pods', rank: 4 },
}
const BYTES: ReadonlySet<string> = new Set(['memory', 'ephemeral-storage'])
const GIB_POWER = 3
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']

export const resourceLabel = (resource: string) => KNOWN[resource]?.label ?? resource

/** Common resources first, the rest by name. */
export function inReadingOrder(resources: Iterable<string>): string[] {
  const rank = (resource: string) => KNOWN[resource]?.rank ?? 9
  return [...new Set(resources)].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

export type Figure = Readonly<{ value: string; unit: string }>

/** An amount as people say it: cores, a binary multiple of bytes, or pieces. */
export function toFigure(resource: string, amount: number): Figure {
  const { divisor, unit } = scaleOf(resource, amount)
  return { value: rounded(amount / divisor), unit }
}

function scaleOf(resource: string, amount: number): { divisor: number; unit: string } {
  if (resource === 'cpu') return { divisor: 1_000, unit: 'cores' }
  if (!BYTES.has(resource)) return { divisor: 1, unit: '' }
  const power = amount < 1 ? GIB_POWER : Math.floor(Math.log2(amount) / 10)
  const step = Math.min(power, BYTE_UNITS.length - 1)
  return { divisor: 1024 ** step, unit: BYTE_UNITS[step] ?? 'B' }
}

export function formatAmount(resource: string, amount: number): string {
  const { value, unit } = toFigure(resource, amount)
  return unit === '' ? value : `${value} ${unit === 'cores' && value === '1' ? 'core' : unit}`
}

export type Share = Readonly<{ part: string; whole: string; unit: string }>

const SHARE_MAX = 5_000

/** Both in one unit, so that the eye can compare: of the part, unless the whole gets too long. */
export function toShare(resource: string, part: number, whole: number): Share {
  const fine = scaleOf(resource, part)
  const isFine = part > 0 && part <= whole && whole / fine.divisor < SHARE_MAX
  const { divisor, unit } = isFine ? fine : scaleOf(resource, whole)
  return { part: rounded(part / divisor), whole: rounded(whole / divisor), unit }
}

/** `0.5 of 64 GiB`, `12 of 16`. */
export function formatShare(resource: string, part: number, whole: number): string {
  const share = toShare(resource, part, whole)
  return [share.part, 'of', share.whole, byteUnit(resource, share)].filter(Boolean).join(' ')
}

/** Bytes need their unit each time; cores and pieces go without saying. */
export const byteUnit = (resource: string, { unit }: Pick<Share, 'unit'>) =>
  BYTES.has(resource) ? unit : ''

/** `4 cores · 8 GiB · 1 GPU`; memory needs no name, its unit says it. */
export function describeWanted(wanted: Amounts): string {
  return inReadingOrder(Object.keys(wanted))
    .map((resource) => named(resource, formatAmount(resource, wanted[resource] ?? 0)))
    .join(' · ')
}

function named(resource: string, amount: string): string {
  if (resource === 'cpu' || resource === 'memory') return amount
  return `${amount} ${resourceLabel(resource)}`
}

const units = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Three significant digits at most. */
function rounded(value: number): string {
  if (Math.abs(value) >= 100) return units.format(value)
  return (Math.abs(value) >= 10 ? tenths : hundredths).format(value)
}

export const formatCount = (count: number) => units.format(count)
export const formatScore = (score: number) => score.toFixed(2)
