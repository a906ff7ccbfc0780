import {
  ADVERTISEMENT_MIRROR_PREFIX,
  clusterAdvertisementKind,
  RESERVATION_MIRROR_PREFIX,
  reservationKind,
} from '@bourse/contract/kinds'
import type { Actor, Command } from '@bourse/domain/ledger'
import type { KubeClient, KubeObject } from '@bourse/kube'
import { createFieldCheck } from '../../intake/field-check.ts'
import { readAdvertisement } from '../../intake/read-advertisement.ts'
import type { RequestLimits } from '../../intake/read-request.ts'
import type { AdvertisementKubeObject } from '../objects/advertisement-object.ts'
import { DOOR, MIRROR_OF } from '../objects/kinds.ts'
import type { ReservationKubeObject } from '../objects/reservation-object.ts'
import { toReserveCommand } from './reservation-command.ts'

/** The broker takes over what another one granted, without a new request. */
export const ADOPTION: Actor = { kind: 'system', id: 'adoption', door: DOOR }

/** What another broker left behind, live. */
export type Leftovers = Readonly<{
  reservations: readonly ReservationKubeObject[]
  clusters: readonly AdvertisementKubeObject[]
}>

export async function findLeftovers(
  client: Pick<KubeClient, 'list'>,
  ledgerId: string,
): Promise<Leftovers> {
  const [reservations, clusters] = await Promise.all([
    client.list<ReservationKubeObject>(reservationKind),
    client.list<AdvertisementKubeObject>(clusterAdvertisementKind),
  ])
  return {
    reservations: reservations.items.filter(
      ({ status }) => isGranted(status?.phase) && status?.ledgerID !== ledgerId,
    ),
    clusters: clusters.items.filter(
      ({ status }) => status?.phase !== undefined && status.ledgerID !== ledgerId,
    ),
  }
}

/** How many are named in the sentence; the others are counted. */
const NAMED_MAX = 3

/**
 * Why a new ledger must not begin beside them; undefined when there are none. A wrong or a lost
 * journal would otherwise quietly sell again what is in use.
 */
export function refusalBeside({ reservations, clusters }: Leftovers): string | undefined {
  const all = [...reservations, ...clusters]
  if (all.length === 0) return undefined
  const nameOf = ({ metadata }: KubeObject, place: number) => {
    // Items of a list have no kind.
    const kind = place < reservations.length ? 'Reservation' : 'ClusterAdvertisement'
    return `${kind} ${metadata.namespace}/${metadata.name}`
  }
  const named = all.slice(0, NAMED_MAX).map(nameOf).join(', ')
  const more = all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : ''
  const owners = new Set(all.map(({ status }) => ownerOf(status?.ledgerID)))
  return (
    `The journal is empty, but there are objects of ${[...owners].join(' and ')}: ${named}${more}. ` +
    'Give the broker the journal that they belong to, or start it with --adopt to take them over.'
  )
}

/** What a mirror asks the new ledger for, and whether its requester was using it already. */
export type TakeOver = Readonly<{ command: Command; wasActive: boolean }>

/** Clusters that advertised by REST to a ledger that is lost: supply until their agents return. */
export function mirroredSupply({ clusters }: Leftovers): TakeOver[] {
  const mirrors = clusters.filter(({ metadata }) =>
    metadata.name.startsWith(ADVERTISEMENT_MIRROR_PREFIX),
  )
  return mirrors.flatMap(({ spec }): TakeOver[] => {
    const check = createFieldCheck()
    const advertisement = spec && readAdvertisement(spec, check)
    if (!advertisement || check.problems.length > 0) return []
    const { clusterID: clusterId } = spec
    const taken = { door: MIRROR_OF, clusterId, advertisement, by: ADOPTION }
    const command: Command = { kind: 'advertise', ...taken }
    return [{ command, wasActive: false }]
  })
}

type Moment = Readonly<{ now: number; limits: RequestLimits }>

/** Reservations made by REST with a ledger that is lost; asked for twice, they are taken once. */
export function mirroredReservations({ reservations }: Leftovers, moment: Moment): TakeOver[] {
  const mirrors = reservations.filter(({ metadata }) =>
    metadata.name.startsWith(RESERVATION_MIRROR_PREFIX),
  )
  return mirrors.flatMap(({ metadata, spec, status }): TakeOver[] => {
    const read = spec && toReserveCommand({ spec, uid: `adopted ${metadata.name}` }, moment.limits)
    const { expiresAt } = status ?? {}
    const leftMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - moment.now
    if (read?.kind !== 'command' || (leftMs !== undefined && leftMs <= 0)) return []
    const { durationMs: _asked, ...asked } = read.command
    const ends = leftMs === undefined ? {} : { durationMs: leftMs }
    const taken = { door: MIRROR_OF, isHeldAlready: true, by: ADOPTION }
    const command: Command = { ...asked, ...taken, ...ends }
    return [{ command, wasActive: status?.phase === 'Active' }]
  })
}

function isGranted(phase: string | undefined): boolean {
  return phase === 'Reserved' || phase === 'Active'
}

function ownerOf(ledgerId: string | undefined): string {
  return ledgerId === undefined ? 'another broker' : `the ledger ${ledgerId}`
}
