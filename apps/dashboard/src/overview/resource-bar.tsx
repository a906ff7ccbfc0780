import type { ResourceLine, TotalLine } from '@bourse/contract/dashboard'
import { formatAmount, resourceLabel } from '../format/amount.ts'

type Props = Readonly<{ resource: string; line: TotalLine }>

/** From the left what can be had, as the number beside it says; then what is taken, and by whom. */
export function ResourceBar({ resource, line }: Props) {
  const scale = Math.max(line.allocatable, 1)
  return (
    <div class="bar" role="img" aria-label={describe(resource, line)}>
      {PARTS.map(({ kind, amountOf }) => (
        <span key={kind} class={kind} style={{ width: `${(amountOf(line) / scale) * 100}%` }} />
      ))}
      {excessOf(line) > 0 && <span class="excess" />}
    </div>
  )
}

type Part = Readonly<{ kind: string; word: string; amountOf(line: TotalLine): number }>

const PARTS: readonly Part[] = [
  { kind: 'available', word: 'available', amountOf: ({ available }) => available },
  {
    kind: 'out-of-reach',
    word: 'free, but out of reach',
    amountOf: ({ outOfReach }) => outOfReach,
  },
  { kind: 'reserved', word: 'reserved', amountOf: ({ reserved }) => reserved },
  { kind: 'used', word: 'used by reservations', amountOf: ({ used }) => used },
  { kind: 'own', word: 'own use', amountOf: ({ own }) => own },
]

/** Some agents name a resource of which they have none. */
export const isThere = ({ allocatable, own, used, reserved }: ResourceLine) =>
  allocatable + own + used + reserved > 0

/** How much more is taken than there is. */
export const excessOf = ({ own, used, reserved, allocatable }: ResourceLine) =>
  Math.max(0, own + used + reserved - allocatable)

function describe(resource: string, line: TotalLine): string {
  const say = (amount: number) => formatAmount(resource, amount)
  const excess = excessOf(line)
  const parts = [
    `${say(line.available)} available of ${say(line.allocatable)}`,
    `${say(line.reserved)} reserved`,
    `${say(line.used)} used by reservations`,
    `${say(line.own)} in own use`,
    ...(line.outOfReach > 0 ? [`${say(line.outOfReach)} free, but out of reach`] : []),
    ...(excess > 0 ? [`${say(excess)} more than there is`] : []),
  ]
  return `${resourceLabel(resource)}: ${parts.join(', ')}`
}

export function BarKey() {
  return (
    <ul class="key" aria-label="Parts of a bar">
      {PARTS.map(({ kind, word }) => (
        <li key={kind}>
          <i class={`swatch ${kind}`} aria-hidden="true" />
          {word}
        </li>
      ))}
    </ul>
  )
}
