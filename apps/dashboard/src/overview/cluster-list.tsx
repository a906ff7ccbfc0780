import type { ClusterCard } from '@bourse/contract/dashboard'
import { useMemo, useState } from 'preact/hooks'
import { formatCount } from '../format/amount.ts'
import { arrangeClusters, ORDERS, type Order } from './arrange-clusters.ts'
import { ClusterRow } from './cluster-row.tsx'
import { Concerns } from './concerns.tsx'
import { Empty, ShowMore } from './empty.tsx'
import { wordsOf } from './find-clusters.ts'
import { Section } from './section.tsx'

type Props = Readonly<{ clusters: readonly ClusterCard[]; clusterCount: number }>

const SHOWN_FIRST = 50
/** With fewer clusters a search is of no use. */
const SEARCH_FROM = 6

export function ClusterList({ clusters, clusterCount }: Props) {
  const [search, setSearch] = useState('')
  const [order, setOrder] = useState<Order>('attention')
  const [shownMax, setShownMax] = useState(SHOWN_FIRST)
  const words = useMemo(() => wordsOf(search), [search])
  const arranged = useMemo(
    () => arrangeClusters(clusters, { words, order }),
    [clusters, words, order],
  )
  const all = formatCount(clusterCount)
  return (
    <Section
      id="clusters"
      title="Clusters"
      class="panel clusters"
      count={words.length > 0 ? `${formatCount(arranged.length)} of ${all}` : all}
      gist={<Concerns clusters={clusters} />}
      controls={
        clusters.length >= SEARCH_FROM && (
          <Controls search={search} onSearch={setSearch} order={order} onOrder={setOrder} />
        )
      }
    >
      {clusters.length === 0 && (
        <Empty title="No cluster has advertised yet">
          Start an agent in a cluster that has room, or try the simulated federation with{' '}
          <code>make run</code>.
        </Empty>
      )}
      {clusters.length > 0 && arranged.length === 0 && (
        <Empty title="No cluster matches">
          No name, place, label or resource contains “{search.trim()}”.
        </Empty>
      )}
      {arranged.length > 0 && <ColumnNames />}
      <ul class="rows">
        {arranged.slice(0, shownMax).map((cluster) => (
          <ClusterRow key={cluster.clusterId} cluster={cluster} words={words} />
        ))}
      </ul>
      <ShowMore
        hiddenCount={arranged.length - shownMax}
        what="clusters"
        onShow={() => setShownMax(shownMax + 5 * SHOWN_FIRST)}
      />
    </Section>
  )
}

/** For the eye only: each row names its figures to a screen reader itself. */
function ColumnNames() {
  return (
    <div class="cluster-columns" aria-hidden="true">
      <span>available</span>
      <span class="cluster-facts">
        <span>base score</span>
        <span>price</span>
        <span>live</span>
        <span>heard</span>
      </span>
    </div>
  )
}

type ControlProps = Readonly<{
  search: string
  onSearch(search: string): void
  order: Order
  onOrder(order: Order): void
}>

function Controls({ search, onSearch, order, onOrder }: ControlProps) {
  return (
    <div class="controls">
      <input
        type="search"
        placeholder="Name, place, label, resource"
        aria-label="Find a cluster by name, place, label or resource"
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <select
        aria-label="Order of the clusters"
        value={order}
        onChange={(event) => {
          const chosen = ORDERS.find(({ id }) => id === event.currentTarget.value)
          if (chosen) onOrder(chosen.id)
        }}
      >
        {ORDERS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
