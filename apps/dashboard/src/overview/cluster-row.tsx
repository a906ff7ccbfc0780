import type { Band, ClusterCard, Prices } from '@bourse/contract/dashboard'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatCount, formatScore, formatShare, resourceLabel } from '../format/amount.ts'
import { formatPrice } from '../format/price.ts'
import { Ago } from '../live/moments.tsx'
import { ResourceBar } from './resource-bar.tsx'

type Props = Readonly<{ cluster: ClusterCard; resources: readonly string[] }>

/** The same element for the same cluster: of a thousand rows only the changed ones are drawn. */
export const ClusterRow = ({ cluster, resources }: Props) =>
  useMemo(() => <Row cluster={cluster} resources={resources} />, [cluster, resources])

function Row({ cluster, resources }: Props) {
  const isIdle = cluster.isStale || cluster.accepting !== 'open'
  return (
    <li class={`cluster ${isIdle ? 'idle' : ''}`}>
      <div class="cluster-head">
        <h3>{cluster.name}</h3>
        <span class="muted">{whereabouts(cluster)}</span>
        <Badges cluster={cluster} />
        <span class="muted heard">
          heard <Ago at={cluster.advertisedAt} />
        </span>
      </div>
      <div class="cluster-body">
        <ul class="bars" aria-label={`Resources of ${cluster.name}`}>
          {resources.map((resource) => (
            <Bar key={resource} resource={resource} cluster={cluster} />
          ))}
        </ul>
        <dl class="cluster-facts">
          <Fact name="base score">
            <Score score={cluster.baseScore} band={cluster.band} />
          </Fact>
          <Fact name="price">
            {cluster.prices ? (
              <PriceTag prices={cluster.prices} />
            ) : (
              <span class="muted">not priced</span>
            )}
          </Fact>
          <Fact name="live reservations">
            <span class="num strong">{formatCount(cluster.liveCount)}</span>
            <span class="muted narrow-only">live</span>
          </Fact>
        </dl>
      </div>
    </li>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt class="sr-only">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Bar({ resource, cluster }: { resource: string; cluster: ClusterCard }) {
  const line = cluster.resources[resource]
  if (!line || line.allocatable === 0) return <li class="bar-cell none" aria-hidden="true" />
  return (
    <li class="bar-cell">
      <span class="bar-label">
        <span>{resourceLabel(resource)}</span>
        <span class="num" aria-hidden="true">
          {formatShare(resource, line.available, line.allocatable)}
        </span>
      </span>
      <ResourceBar resource={resource} line={line} />
    </li>
  )
}

function Badges({ cluster }: { cluster: ClusterCard }) {
  const { isStale, accepting, isOvercommitted, unpriced } = cluster
  return (
    <>
      {isOvercommitted && <span class="badge bad">overcommitted</span>}
      {isStale && <span class="badge warn">stale</span>}
      {unpriced !== undefined && (
        <span class="badge quiet" title={unpriced}>
          unpriced
        </span>
      )}
      {accepting !== 'open' && <span class="badge quiet">{accepting}</span>}
    </>
  )
}

function Score({ score, band }: { score: number; band: Band }) {
  return (
    <>
      <span class="num strong">{formatScore(score)}</span>{' '}
      <span class={`band band-${band}`}>{band}</span>
    </>
  )
}

function PriceTag({ prices: { cpu, memory, gpu, currency } }: { prices: Prices }) {
  const tags = [
    { amount: cpu, per: 'core' },
    { amount: gpu, per: 'GPU' },
    // Memory alone is seldom what a cluster is chosen for: shown when nothing else is priced.
    { amount: cpu === undefined && gpu === undefined ? memory : undefined, per: 'GiB' },
  ]
  return (
    <>
      {tags.map(
        ({ amount, per }) =>
          amount !== undefined && (
            <span key={per} class="price">
              <span class="num">{formatPrice(amount, currency)}</span>
              <span class="muted">/{per}·h</span>
            </span>
          ),
      )}
    </>
  )
}

function whereabouts({ clusterId, name, location }: ClusterCard): string {
  return [name === clusterId ? undefined : clusterId, location].filter(Boolean).join(' · ')
}
