import type { Overview } from '@bourse/contract/dashboard'
import { useEffect } from 'preact/hooks'
import { ExplanationDialog } from '../explanation/explanation-dialog.tsx'
import type { LineState } from '../live/live-line.ts'
import { useOverview } from '../live/use-overview.ts'
import { Announcer } from './announcer.tsx'
import { CapacityTotals } from './capacity-totals.tsx'
import { ClusterList } from './cluster-list.tsx'
import { DecisionStream } from './decision-stream.tsx'
import { PageHeader } from './page-header.tsx'
import { ReservationList } from './reservation-list.tsx'
import { SummaryStrip } from './summary-strip.tsx'

export function OverviewPage() {
  const { overview, line } = useOverview()
  useEffect(() => {
    if (overview) document.title = `bourse · ${overview.liveCount} live`
  }, [overview?.liveCount])

  return (
    <>
      <a class="skip" href="#clusters">
        Skip to clusters
      </a>
      <PageHeader overview={overview} line={line} />
      {overview ? <Panels overview={overview} /> : <Waiting line={line} />}
      <ExplanationDialog />
    </>
  )
}

function Panels({ overview }: { overview: Overview }) {
  return (
    <main>
      <h1 class="sr-only">Capacity exchange, live</h1>
      <SummaryStrip overview={overview} />
      <CapacityTotals totals={overview.totals} />
      <div class="columns">
        <ClusterList clusters={overview.clusters} clusterCount={overview.clusterCount} />
        <ReservationList reservations={overview.reservations} liveCount={overview.liveCount} />
        <DecisionStream decisions={overview.decisions} />
      </div>
      <Announcer decisions={overview.decisions} />
    </main>
  )
}

function Waiting({ line }: { line: LineState }) {
  const isTrying = line === 'reconnecting'
  return (
    <main class="waiting">
      <h1>{isTrying ? 'The broker does not answer' : 'Reading the ledger…'}</h1>
      {isTrying && <p>The page keeps trying. If this lasts, check that the broker runs.</p>}
    </main>
  )
}
