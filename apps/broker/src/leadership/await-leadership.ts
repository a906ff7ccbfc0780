import type { Connections } from '@bourse/daemon/connections'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../config/index.ts'
import { openReplica } from '../ledger/opening/open-replica.ts'
import type { Store } from '../store/port/store.ts'
import type { Leadership, Standing } from './stand-by.ts'
import { openStandbyServer } from './standby-server.ts'

export type LeadershipPorts = Readonly<{
  config: BrokerConfig
  store: Store
  client: KubeClient | undefined
  /** For the probes: how far this standby follows the leader. */
  standing(look: () => Standing): void
  connections: Connections
  log: Logger
  crash(cause: Error): void
  /** Ends standing by. */
  signal?: AbortSignal | undefined
}>

/** A replica that is up to date and the right to write; undefined if stopped before its turn. */
export async function awaitLeadership(ports: LeadershipPorts): Promise<Leadership | undefined> {
  const { config, store, client } = ports
  const open = () => openReplica({ config, store })
  const { election } = config
  if (!election) return unopposed(ports, open)
  if (!client) throw new Error('An election needs a connection to an API server.')
  const { journal } = store
  const { standBy } = await import('./stand-by.ts')
  return standBy({ ...ports, election, client, journal, openReplica: open })
}

/** Without an election. While a large ledger is read, callers get "starting" instead of no answer. */
async function unopposed(
  { config: { http }, connections, log }: LeadershipPorts,
  open: () => Promise<Leadership['replica']>,
): Promise<Leadership> {
  await using opening = new AsyncDisposableStack()
  const standbyServer = http && (await openStandbyServer({ http, connections, log }))
  if (standbyServer) opening.defer(standbyServer.close)
  const replica = await open()
  opening.move()
  return {
    replica,
    standbyServer,
    whyNotLeading: () => undefined,
    leader: () => undefined,
    confirmWith: () => {},
    trouble: () => undefined,
    resign: async () => standbyServer?.close(),
  }
}
