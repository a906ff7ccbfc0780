import type { Reservation } from '@bourse/contract'
import { readPages } from '../../connection/read-pages.ts'
import type { Broker } from '../../connection/with-broker.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'

type Ending = Readonly<{
  verb: 'withdraw' | 'decommission'
  clusterId: string
  grace?: string
  yes?: boolean
}>

/** A bound far above what one cluster holds. */
const HELD_MAX = 100_000
/** Of a longer list only the beginning is shown. */
const REQUESTERS_MAX = 10

/** Tells what will end, and goes on only with `--yes` or the yes of a person. */
export async function confirmEnding(
  broker: Pick<Broker, 'getCluster' | 'listReservations'>,
  ending: Ending,
  terminal: Terminal,
): Promise<void> {
  const { verb, clusterId, yes } = ending
  // A mistyped id is refused before anything is asked.
  await broker.getCluster(clusterId)
  const { items } = await readPages<Reservation>(HELD_MAX, (page) =>
    broker.listReservations({ providerID: clusterId, ...page }),
  )
  // The broker refuses to remove a cluster that holds something, and says so.
  if (verb === 'decommission' && items.length > 0) return
  terminal.note(consequence(ending, items))
  if (yes) return
  const said = await terminal.ask?.(`To ${verb} ${clusterId}, type yes: `)
  if (said !== undefined && /^y(es)?$/i.test(said)) return
  throw new CliError(
    ExitCode.usage,
    said === undefined ? `Really ${verb} ${clusterId}?` : 'Not confirmed.',
    'Nothing was changed. Add --yes to do it without being asked.',
  )
}

function consequence({ verb, clusterId, grace }: Ending, held: readonly Reservation[]): string {
  if (verb === 'decommission') return `${clusterId} holds nothing, and will be removed for good.`
  if (held.length === 0) return `${clusterId} holds no reservations, and will take no new ones.`
  const count = held.length === 1 ? '1 reservation' : `${held.length} reservations`
  return `${clusterId} holds ${count} of ${requestersOf(held)}. All of it ends in ${grace}.`
}

/** `rome (2), oslo (1)`, those with the most first. */
function requestersOf(held: readonly Reservation[]): string {
  const counts = new Map<string, number>()
  for (const { requesterID } of held) counts.set(requesterID, (counts.get(requesterID) ?? 0) + 1)
  const ranked = [...counts].sort(([, left], [, right]) => right - left)
  const shown = ranked.slice(0, REQUESTERS_MAX).map(([id, count]) => `${id} (${count})`)
  const more = ranked.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
