import type { Metrics } from './metrics.ts'

export type AgentMeters = ReturnType<typeof createMeters>

/** Watches of every agent, the last two at the broker; others appear once they fail. */
const WATCHED = [
  ...['nodes', 'pods', 'advertisements', 'resourcerequests'],
  ...['reservationinstructions', 'providerinstructions', 'instructions', 'reservations'],
]

/** Counts that outlive a term. */
export function createMeters({ counter, gauge }: Metrics) {
  const published = counter('agent_publish_total', 'Advertisements sent, by outcome.', [
    { result: 'success' },
    { result: 'failure' },
  ])
  const publishSeconds = counter('agent_publish_seconds_total', 'Time spent on publishing.')
  const troubles = counter(
    'agent_watch_troubles_total',
    'Failed watches, by resource.',
    WATCHED.map((watched) => ({ watched })),
  )
  const slices = counter(
    'agent_slices_total',
    "Answers to peers' slices: granted or denied, and why.",
    [],
  )
  const distrusted = counter(
    'agent_peers_distrusted_total',
    'Claims of cluster identities that were rejected, by reason.',
    [{ reason: 'LiqoKeyChanged' }, { reason: 'LiqoIdClaimed' }],
  )
  gauge('process_resident_memory_bytes', 'Memory held.', () => process.memoryUsage.rss())
  gauge('process_cpu_seconds_total', 'Time computed.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })

  return {
    attempted({ isOk, durationMs }: { isOk: boolean; durationMs: number }): void {
      published.add({ result: isOk ? 'success' : 'failure' })
      publishSeconds.add({}, durationMs / 1_000)
    },
    watchFailed: (watched: string) => troubles.add({ watched }),
    sliceJudged: ({ result, reason }: { result: string; reason: string }) =>
      slices.add({ result, reason }),
    distrusted: ({ reason }: { reason: string }) => distrusted.add({ reason }),
  }
}
