import type {
  ClusterAdvertisementSpec,
  ClusterAdvertisementStatus,
  ReservationSpec,
  ReservationStatus,
} from '@bourse/contract/kinds'
import {
  type Advertisement,
  type Command,
  createLedger,
  type LedgerEvent,
} from '@bourse/domain/ledger'
import type { Answer } from '../../ledger/writer/ledger-writer.ts'
import { settings } from '../../ledger/writer/writer.fixture.ts'
import { createObjectReservations } from '../inbound/object-reservations.ts'
import { type AdvertisementItem, decodeAdvertisement } from './advertisement-object.ts'
import { type AskedReservation, decodeReservation } from './reservation-object.ts'

export const LEDGER_ID = 'thisledger'
const API_VERSION = 'broker.fluidos.eu/v1alpha1'

/** The real ledger without a journal. Tests make up the far side of the interface only. */
export function aLedger() {
  const ledger = createLedger(settings)
  const objectReservations = createObjectReservations()
  const clock = { now: 1_000 }
  let index = 1
  ledger.apply({ kind: 'founded', at: 0, ledgerId: LEDGER_ID })

  return { ledger, objectReservations, clock, index: () => index, submit, offer }

  async function submit(command: Command): Promise<Answer> {
    const { outcome, events } = ledger.execute(command, { now: clock.now, index: index + 1 })
    commit(events)
    return { outcome, index }
  }

  function commit(events: LedgerEvent[]): void {
    if (events.length > 0) index++
    objectReservations.follow({ index, at: clock.now, events })
  }

  /** A cluster that came by REST, all of it free. */
  function offer(clusterId: string, cpuMilli: bigint, more: Partial<Advertisement> = {}) {
    const amounts = { cpu: cpuMilli, memory: 64n * 1024n ** 3n }
    const supply = { capacity: amounts, allocatable: amounts, allocated: {}, used: {} }
    const advertisement = { clusterName: clusterId, ...supply, ...more }
    return submit({ kind: 'advertise', door: 'rest', clusterId, advertisement })
  }
}

type Meta = Readonly<{
  name?: string
  uid?: string
  finalizers?: readonly string[]
  annotations?: Readonly<Record<string, string>>
}>
type More<Status> = Meta & Readonly<{ status?: Status; isDeleted?: boolean; generation?: number }>

function metadataOf(more: More<unknown>, kind: string) {
  const { name, uid, finalizers, annotations, isDeleted, generation } = more
  return {
    name: name ?? `my-${kind}`,
    namespace: 'default',
    uid: uid ?? `uid-of-${name ?? kind}`,
    resourceVersion: '7',
    generation: generation ?? 1,
    ...(finalizers && { finalizers }),
    ...(annotations && { annotations }),
    ...(isDeleted && { deletionTimestamp: '2026-11-15T12:00:00Z' }),
  }
}

/** Two cores and 4 GiB for a team, as a user wrote it just now. */
export function aReservation(
  spec: Partial<ReservationSpec> = {},
  more: More<ReservationStatus> = {},
): AskedReservation {
  const object = decodeReservation({
    apiVersion: API_VERSION,
    kind: 'Reservation',
    metadata: metadataOf(more, 'reservation'),
    spec: {
      requesterID: 'user-team',
      requestedResources: { cpu: '2', memory: '4Gi' },
      priority: 0,
      ...spec,
    },
    ...(more.status && { status: more.status }),
  })
  if (object?.kind !== 'asked') throw new Error('This is not the name of a request.')
  return object
}

/** A cluster of ten cores without an agent, as a user wrote it just now. */
export function aClusterAdvertisement(
  spec: Partial<ClusterAdvertisementSpec> = {},
  more: More<ClusterAdvertisementStatus> = {},
): AdvertisementItem {
  const object = decodeAdvertisement({
    apiVersion: API_VERSION,
    kind: 'ClusterAdvertisement',
    metadata: metadataOf(more, 'advertisement'),
    spec: {
      clusterID: 'paris',
      resources: { capacity: { cpu: '10', memory: '32Gi' } },
      timestamp: '2026-11-15T12:00:00Z',
      ...spec,
    },
    ...(more.status && { status: more.status }),
  })
  if (!object) throw new Error('It has a spec.')
  return object
}
