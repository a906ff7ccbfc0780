import type { Overview, TotalLine } from '@bourse/contract/dashboard'
import { formatAmount, inReadingOrder, resourceLabel, toFigure } from '../format/amount.ts'
import { BarKey, ResourceBar } from './resource-bar.tsx'

export function CapacityTotals({ totals }: Pick<Overview, 'totals'>) {
  const resources = inReadingOrder(Object.keys(totals))
  if (resources.length === 0) return null
  return (
    <section aria-labelledby="capacity-title" class="capacity">
      <div class="section-head">
        <h2 id="capacity-title">Capacity</h2>
        <BarKey />
      </div>
      <ul class="tiles">
        {resources.map((resource) => {
          const line = totals[resource]
          return line && <Tile key={resource} resource={resource} line={line} />
        })}
      </ul>
    </section>
  )
}

function Tile({ resource, line }: { resource: string; line: TotalLine }) {
  const available = toFigure(resource, line.available)
  const all = toFigure(resource, line.allocatable)
  // The headline says cores once; bytes need their unit each time.
  const say = (amount: number) => {
    const { value, unit } = toFigure(resource, amount)
    return unit === 'cores' ? value : formatAmount(resource, amount)
  }
  return (
    <li class="tile">
      <h3>{resourceLabel(resource)}</h3>
      <p class="tile-figure">
        <span class="big num">{available.value}</span>{' '}
        <span class="muted">
          {available.unit} available of {all.value} {all.unit !== available.unit && all.unit}
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
