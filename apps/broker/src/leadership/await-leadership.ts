import type { Connections } from '@bourse/daemon/connections'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { BrokerConfig } from '../config/index.ts'
import { openBooks } from '../ledger/opening/open-books.ts'
import type { Store } from '../store/port/store.ts'
import type { Leadership, Standing } from './stand-by.ts'
import { openStandbyDoor } from './standby-server.ts'

type Ports = Readonly<{
  config: BrokerConfig
  store: Store
  client: KubeClient | undefined
  /** For the probes: how far this broker follows, and whom. */
  standing(look: () => Standing): void
  connections: Connections
  log: Logger
  crash(cause: Error): void
  signal: AbortSignal | undefined
}>

/** Books that are up to date and the right to change them; undefined: told to stop before. */
export async function awaitLeadership(ports: Ports): Promise<Leadership | undefined> {
  const { config, store, client } = ports
  const open = () => openBooks({ config, store })
  const { election } = config
  if (!election) return unopposed(ports, open)
  if (!client) throw new Error('An election needs a connection to an API server.')
  const { journal } = store
  const { standBy } = await import('./stand-by.ts')
  return standBy({ ...ports, election, client, journal, openBooks: open })
}

/**
 * The only broker of its store: nobody can oust it. The store is open, so that nobody else holds
 * it: while a large ledger is read, callers hear so instead of finding nobody.
 */
async function unopposed(
  { config: { http }, connections, log }: Ports,
  open: () => Promise<Leadership['books']>,
): Promise<Leadership> {
  await using opening = new AsyncDisposableStack()
  const door = http && (await openStandbyDoor({ http, connections, log }))
  if (door) opening.defer(door.close)
  const books = await open()
  opening.move()
  return {
    books,
    door,
    whyNotLeading: () => undefined,
    leader: () => undefined,
    confirmWith: () => {},
    trouble: () => undefined,
    resign: async () => door?.close(),
  }
}
