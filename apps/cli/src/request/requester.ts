import type { Advertisement } from '@bourse/contract'
import { PAGE_SIZE_MAX } from '@bourse/contract/limits'
import { type Caller, readCaller } from '../connection/caller.ts'
import type { ConnectionFlags } from '../connection/settings.ts'
import type { Broker } from '../connection/with-broker.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type RequestFlags, requestOf } from './request-options.ts'

type Asked = Readonly<{ requester?: string }>
type Clusters = Pick<Broker, 'getCluster' | 'listClusters'>

/** The cluster that is asked for. A typo of an operator would lock capacity that is never used. */
export async function withRequester<Flags extends ConnectionFlags & RequestFlags>(
  broker: Clusters,
  asked: Flags,
  terminal: Terminal,
): Promise<Flags> {
  // Before anything is asked of a person or a broker.
  requestOf(asked)
  const caller = await readCaller(asked, terminal)
  const requester = await requesterFor(caller, asked, terminal)
  if (caller.isOperator && requester !== undefined && !asked.force)
    await refuseUnheardOf(broker, requester)
  return { ...asked, ...(requester !== undefined && { requester }) }
}

/** The cluster that an operator acts for; a cluster acts for itself. */
export async function requesterFor(
  caller: Caller,
  { requester }: Asked,
  terminal: Terminal,
): Promise<string | undefined> {
  if (requester !== undefined || !caller.isOperator) return requester
  const named = await terminal.ask?.('For which cluster? ')
  if (named) return named
  throw new CliError(
    ExitCode.usage,
    `For which cluster? ${caller.id} is an operator, not a cluster.`,
    'Name it: --requester CLUSTER.',
  )
}

async function refuseUnheardOf(broker: Clusters, requester: string): Promise<void> {
  if (await isHeardOf(broker, requester)) return
  const { items } = await broker.listClusters({ limit: PAGE_SIZE_MAX })
  throw new CliError(
    ExitCode.notFound,
    `No cluster ${requester} has advertised here.${await guess(requester, items)}`,
    'Nothing was changed. Check --requester, or add --force to go on with it all the same.',
  )
}

function isHeardOf(broker: Clusters, requester: string): Promise<boolean> {
  return broker.getCluster(requester).then(
    () => true,
    (fault: Error) => {
      if ('code' in fault && fault.code === 'AdvertisementNotFound') return false
      throw fault
    },
  )
}

async function guess(requester: string, known: readonly Advertisement[]): Promise<string> {
  const { nearestName } = await import('@bourse/daemon/nearest-name')
  const meant = nearestName(
    requester,
    known.map(({ clusterID }) => clusterID),
  )
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}
