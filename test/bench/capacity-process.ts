import { createCapacityWatcher, DEFAULT_NODE_RULES } from '@bourse/agent/capacity'
import { createKubeClient, fixedConnection } from '@bourse/kube'
import type { WatchOrder, WatchReport } from './watching-process.ts'

/** The part of an agent that watches; `watching-process.ts` starts it. */
const [order] = process.argv.slice(2)
if (order === undefined || !process.send)
  throw new Error('watching-process.ts starts this process.')
// Written by `startWatching`.
const { credentials } = JSON.parse(order) as WatchOrder

/** An agent advertises at most so often, however much changes. */
const DEBOUNCE_MS = 500

const watcher = createCapacityWatcher({
  client: createKubeClient(fixedConnection(credentials)),
  rules: DEFAULT_NODE_RULES,
  borrowersOf: () => [],
  onTrouble(error) {
    throw error
  },
})
let measurements = 0
let isDue = false
watcher.subscribe(() => {
  if (!isDue) setTimeout(measure, DEBOUNCE_MS)
  isDue = true
})

function measure(): void {
  isDue = false
  if (watcher.current()) measurements += 1
}

await watcher.start()
const { nodes = 0, allocated = {} } = watcher.current() ?? {}
const report: WatchReport = { nodes, pods: Number(allocated.pods ?? 0n) }
process.send(report)
process.on('message', () => process.send?.({ measurements }))
