import type { ClusterCard, Prices } from '@bourse/contract/dashboard'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatCount, formatScore } from '../format/amount.ts'
import { formatPrice } from '../format/price.ts'
import { Ago } from '../live/moments.tsx'
import { ClusterBars } from './cluster-bars.tsx'
import { foundTags } from './find-clusters.ts'

type Props = Readonly<{ cluster: ClusterCard; words: readonly string[] }>

/** The same element for the same cluster: of a thousand rows only the changed ones are drawn. */
export const ClusterRow = ({ cluster, words }: Props) =>
  useMemo(() => <Row cluster={cluster} words={words} />, [cluster, words])

function Row({ cluster, words }: Props) {
  return (
    <li class="cluster">
      <div class="cluster-head">
        <h3>{cluster.name}</h3>
        <Whereabouts cluster={cluster} />
        <Badges cluster={cluster} />
      </div>
      <Facts cluster={cluster} />
      <ClusterBars cluster={cluster} />
      <Tags tags={foundTags(cluster, words)} />
      {cluster.unpriced !== undefined && <p class="cluster-note">{cluster.unpriced}</p>}
    </li>
  )
}

function Whereabouts({ cluster: { clusterId, name, location } }: { cluster: ClusterCard }) {
  const places = [name === clusterId ? undefined : clusterId, location].filter(Boolean)
  return places.length > 0 ? <span class="muted">{places.join(' · ')}</span> : null
}

function Badges({ cluster }: { cluster: ClusterCard }) {
  const { isStale, accepting, isOvercommitted, unpriced } = cluster
  return (
    <>
      {isOvercommitted && <span class="badge bad">overcommitted</span>}
      {isStale && <span class="badge warn">stale</span>}
      {accepting !== 'open' && <span class="badge quiet">{accepting}</span>}
      {unpriced !== undefined && <span class="badge quiet">unpriced</span>}
    </>
  )
}

const TAGS_MAX = 4

/** Why a search found it, where that is not plain to see. */
function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null
  const hiddenCount = tags.length - TAGS_MAX
  return (
    <p class="tags">
      {tags.slice(0, TAGS_MAX).map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
      {hiddenCount > 0 && <span class="muted">and {formatCount(hiddenCount)} more</span>}
    </p>
  )
}

function Facts({ cluster }: { cluster: ClusterCard }) {
  return (
    <dl class="cluster-facts">
      <Fact name="base score">
        <span class="num strong">{formatScore(cluster.baseScore)}</span>{' '}
        <span class="muted">{cluster.band}</span>
      </Fact>
      <Fact name="price">
        {cluster.prices ? (
          <PriceTag prices={cluster.prices} />
        ) : (
          <span class="muted">not priced</span>
        )}
      </Fact>
      <Fact name="live reservations">
        <span class="num strong">{formatCount(cluster.liveCount)}</span> <Word>live</Word>
      </Fact>
      <Fact name="heard">
        <Word>heard</Word>{' '}
        <span class="muted">
          <Ago at={cluster.advertisedAt} />
        </span>
      </Fact>
    </dl>
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

/** Where no column names it. */
const Word = ({ children }: { children: ComponentChildren }) => (
  <span class="unnamed muted" aria-hidden="true">
    {children}
  </span>
)

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
              <span class="muted">/{per}·h</span>{' '}
            </span>
          ),
      )}
    </>
  )
}
