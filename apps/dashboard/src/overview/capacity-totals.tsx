import type { Overview, TotalLine } from '@bourse/contract/dashboard'
import {
  formatAmount,
  formatShare,
  inReadingOrder,
  resourceLabel,
  toFigure,
  toShare,
} from '../format/amount.ts'
import { BarKey, isThere, ResourceBar } from './resource-bar.tsx'
import { Section } from './section.tsx'

export function CapacityTotals({ totals }: Pick<Overview, 'totals'>) {
  const lines = inReadingOrder(Object.keys(totals)).flatMap((resource) => {
    const line = totals[resource]
    return line && isThere(line) ? [{ resource, line }] : []
  })
  if (lines.length === 0) return null
  const gist = lines.map(({ resource, line }) => describeShare(resource, line)).join(' · ')
  return (
    <Section
      id="capacity"
      title="Capacity"
      class="capacity"
      gist={<span>{gist} available</span>}
      controls={<BarKey />}
      isOpenAtFirst
    >
      <ul class="tiles">
        {lines.map(({ resource, line }) => (
          <Tile key={resource} resource={resource} line={line} />
        ))}
      </ul>
    </Section>
  )
}

function describeShare(resource: string, { available, allocatable }: TotalLine): string {
  const share = formatShare(resource, available, allocatable)
  if (resource === 'cpu') return `${share} cores`
  return resource === 'memory' ? share : `${share} ${resourceLabel(resource)}`
}

function Tile({ resource, line }: { resource: string; line: TotalLine }) {
  const share = toShare(resource, line.available, line.allocatable)
  // The headline says cores once; bytes need their unit each time.
  const say = (amount: number) => {
    const { value, unit } = toFigure(resource, amount)
    return unit === 'cores' ? value : formatAmount(resource, amount)
  }
  return (
    <li class="tile">
      <h3>{resourceLabel(resource)}</h3>
      <p class="tile-figure">
        <span class="big num">{share.part}</span>{' '}
        <span class="muted">
          of <span class="num">{share.whole}</span> {share.unit} available
        </span>
      </p>
      <ResourceBar resource={resource} line={line} />
      <dl class="tile-parts">
        <Part word="reserved" amount={say(line.reserved)} />
        <Part word="used" amount={say(line.used)} />
        <Part word="own use" amount={say(line.own)} />
        {line.outOfReach > 0 && <Part word="out of reach" amount={say(line.outOfReach)} />}
      </dl>
    </li>
  )
}

function Part({ word, amount }: { word: string; amount: string }) {
  return (
    <div>
      <dt>{word}</dt>
      <dd class="num">{amount}</dd>
    </div>
  )
}
