import type { ClusterCard, ResourceLine } from '@bourse/contract/dashboard'
import { byteUnit, inReadingOrder, resourceLabel, toShare } from '../format/amount.ts'
import { excessOf, isThere, ResourceBar } from './resource-bar.tsx'

/** A bar for each resource that the cluster has: they share its width. */
export function ClusterBars({ cluster }: { cluster: ClusterCard }) {
  const { name, resources, isStale, accepting } = cluster
  const isOutOfReach = isStale || accepting !== 'open'
  return (
    <ul class="bars" aria-label={`Resources of ${name}`}>
      {inReadingOrder(Object.keys(resources)).map((resource) => {
        const line = resources[resource]
        return (
          line &&
          isThere(line) && (
            <BarCell key={resource} resource={resource} line={line} isOutOfReach={isOutOfReach} />
          )
        )
      })}
    </ul>
  )
}

type CellProps = Readonly<{ resource: string; line: ResourceLine; isOutOfReach: boolean }>

function BarCell({ resource, line, isOutOfReach }: CellProps) {
  const reach = isOutOfReach ? { available: 0, outOfReach: line.available } : { outOfReach: 0 }
  return (
    <li class="bar-cell">
      <span class="bar-label">
        <span class="bar-name">{resourceLabel(resource)}</span>
        <Figure resource={resource} line={line} isOutOfReach={isOutOfReach} />
      </span>
      <ResourceBar resource={resource} line={{ ...line, ...reach }} />
    </li>
  )
}

function Figure({ resource, line, isOutOfReach }: CellProps) {
  const excess = excessOf(line)
  const share = toShare(resource, excess > 0 ? excess : line.available, line.allocatable)
  const tone = excess > 0 ? 'over' : isOutOfReach ? 'muted' : 'free'
  return (
    <span class="num muted" aria-hidden="true">
      <b class={tone}>{share.part}</b> {excess > 0 ? 'over' : 'of'} {share.whole}{' '}
      {byteUnit(resource, share)}
    </span>
  )
}
