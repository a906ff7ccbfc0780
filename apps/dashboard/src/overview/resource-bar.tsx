import type { ResourceLine } from '@bourse/contract/dashboard'
import { formatAmount, resourceLabel } from '../format/amount.ts'

type Props = Readonly<{ resource: string; line: ResourceLine & { outOfReach?: number } }>

/** own use │ used by reservations │ reserved │ available. Empty track is what can still be had. */
export function ResourceBar({ resource, line }: Props) {
  const { own, used, reserved, allocatable, outOfReach = 0 } = line
  const taken = own + used + reserved
  const scale = Math.max(allocatable, taken + outOfReach, 1)
  const width = (amount: number) => ({ width: `${(amount / scale) * 100}%` })
  return (
    <div class="bar" role="img" aria-label={describe(resource, line)}>
      <span class="own" style={width(own)} />
      <span class="used" style={width(used)} />
      <span class="reserved" style={width(reserved)} />
      <span class="out-of-reach" style={width(outOfReach)} />
      {taken > allocatable && (
        <span class="limit" style={{ left: `${(allocatable / scale) * 100}%` }} />
      )}
    </div>
  )
}

function describe(resource: string, line: Props['line']): string {
  const say = (amount: number) => formatAmount(resource, amount)
  const parts = [
    `${say(line.available)} available of ${say(line.allocatable)}`,
    `${say(line.reserved)} reserved`,
    `${say(line.used)} used by reservations`,
    `${say(line.own)} in own use`,
  ]
  if (line.outOfReach) parts.push(`${say(line.outOfReach)} out of reach`)
  return `${resourceLabel(resource)}: ${parts.join(', ')}`
}

const KEY = [
  { kind: 'own', word: 'own use' },
  { kind: 'used', word: 'used by reservations' },
  { kind: 'reserved', word: 'reserved' },
  { kind: 'out-of-reach', word: 'free, but out of reach' },
  { kind: 'available', word: 'available' },
] as const

export function BarKey() {
  return (
    <ul class="key" aria-label="Parts of a bar">
      {KEY.map(({ kind, word }) => (
        <li key={kind}>
          <i class={`swatch ${kind}`} aria-hidden="true" />
          {word}
        </li>
      ))}
    </ul>
  )
}
