import type { ClusterCard } from '@bourse/contract/dashboard'
import { useMemo, useState } from 'preact/hooks'
import { formatCount, inReadingOrder } from '../format/amount.ts'
import { arrangeClusters, ORDERS, type Order } from './arrange-clusters.ts'
import { ClusterRow } from './cluster-row.tsx'
import { Empty, ShowMore } from './empty.tsx'

type Props = Readonly<{ clusters: readonly ClusterCard[]; clusterCount: number }>

const SHOWN_FIRST = 30
/** With fewer clusters a search is of no use. */
const SEARCH_FROM = 6

export function ClusterList({ clusters, clusterCount }: Props) {
  const [search, setSearch] = useState('')
  const [order, setOrder] = useState<Order>('attention')
  const [shownMax, setShownMax] = useState(SHOWN_FIRST)
  const arranged = useMemo(
    () => arrangeClusters(clusters, { search, order }),
    [clusters, search, order],
  )
  const resourceKey = inReadingOrder(clusters.flatMap((one) => Object.keys(one.resources))).join()
  const resources = useMemo(() => resourceKey.split(','), [resourceKey])

  return (
    <section aria-labelledby="clusters" class="panel">
      <div class="section-head">
        <h2 id="clusters" tabIndex={-1}>
          Clusters <span class="count num">{formatCount(clusterCount)}</span>
        </h2>
        {clusters.length >= SEARCH_FROM && (
          <Controls search={search} onSearch={setSearch} order={order} onOrder={setOrder} />
        )}
      </div>
      {clusters.length === 0 && (
        <Empty title="No cluster has advertised yet">
          Start an agent in a cluster that has room, or try the simulated federation with{' '}
          <code>make run</code>.
        </Empty>
      )}
      {clusters.length > 0 && arranged.length === 0 && (
        <Empty title="No cluster matches">No name, id or location contains “{search}”.</Empty>
      )}
      {arranged.length > 0 && <ColumnNames />}
      <ul class="rows">
        {arranged.slice(0, shownMax).map((cluster) => (
          <ClusterRow key={cluster.clusterId} cluster={cluster} resources={resources} />
        ))}
      </ul>
      <ShowMore
        hiddenCount={arranged.length - shownMax}
        what="clusters"
        onShow={() => setShownMax(shownMax + 10 * SHOWN_FIRST)}
      />
    </section>
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
        placeholder="Find a cluster"
        aria-label="Find a cluster by name, id or location"
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
