import type { ReservationRequest } from '@bourse/contract'
import { ignoring, isAlreadyExists, isNotFound, type KubeClient } from '@bourse/kube'
import type { ReservationOutcome, Stamp } from '../communicator/broker-communicator.ts'
import { BrokerBusy, BrokerRefused } from '../communicator/errors.ts'
import {
  asksTheSame,
  isReleasedEarly,
  type Place,
  RESERVATION,
  type ReservationObject,
  releasedEarly,
  requestName,
  requestObject,
} from './broker-objects.ts'
import { ANSWER_WITHIN_MS, noAnswer } from './ledger-sense.ts'
import { notFor, RATE_LIMITED, TOO_MANY } from './publish.ts'
import { toReservation } from './read-objects.ts'
import type { ReservationSet } from './reservation-set.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get' | 'delete'>
  place: Place
  requested: Pick<ReservationSet, 'until'>
  stamp(): Promise<Stamp>
  closing: AbortSignal
}>
type Made = Readonly<{ object: ReservationObject; isNew: boolean }>

export type Requests = ReturnType<typeof createRequests>

/** Reservations by request id: the id gives the name, so each id has one object. */
export function createRequests(ports: Ports) {
  const { client, place, requested, closing } = ports

  return { reserve, find, answered, forgo }

  async function reserve(
    requestId: string,
    request: ReservationRequest,
  ): Promise<ReservationOutcome> {
    const { requesterID } = request
    if (requesterID && requesterID !== place.clusterId) throw notFor(requesterID, place)
    const { object, isNew } = await makeOrFind(requestObject(place, requestId, request))
    const answer = await answered(object, isDecided)
    return outcomeOf(answer, { requestId, isNew })
  }

  /** A repeat finds its object; a failed one was never granted, and is requested again. */
  async function makeOrFind(wanted: ReservationObject): Promise<Made> {
    const made = await create(wanted)
    if (made) return { object: made, isNew: true }
    const { name } = wanted.metadata
    const found = await find(name)
    if (!found) return makeOrFind(wanted)
    if (found.spec?.requesterID !== place.clusterId) throw notFor(found.spec?.requesterID, place)
    if (isReleasedEarly(found)) return { object: found, isNew: false }
    if (!asksTheSame(found, wanted)) throw reused(wanted)
    if (found.status?.phase !== 'Failed') return { object: found, isNew: false }
    await remove(found)
    return makeOrFind(wanted)
  }

  /** Undefined if an object of that name exists. */
  function create(object: ReservationObject): Promise<ReservationObject | undefined> {
    const options = { fieldValidation: 'Strict', signal: closing } as const
    return ignoring(isAlreadyExists, client.create(RESERVATION, object, options))
  }

  function find(name: string): Promise<ReservationObject | undefined> {
    const asked = client.get<ReservationObject>(RESERVATION, name, place.namespace, {
      signal: closing,
    })
    return ignoring(isNotFound, asked)
  }

  function remove({ metadata }: ReservationObject): Promise<void> {
    const { uid = '' } = metadata
    const options = { preconditions: { uid }, signal: closing }
    return ignoring(isNotFound, client.delete(RESERVATION, metadata, options))
  }

  async function answered(
    { metadata: { uid } }: ReservationObject,
    isThere: (object: ReservationObject) => boolean,
  ): Promise<ReservationObject> {
    const find = (objects: Iterable<ReservationObject>) => {
      for (const one of objects) if (one.metadata.uid === uid && isThere(one)) return one
      return undefined
    }
    const found = await requested.until(find, { withinMs: ANSWER_WITHIN_MS, signal: closing })
    if (!found) throw noAnswer(place)
    return found
  }

  async function outcomeOf(
    object: ReservationObject,
    { requestId, isNew }: Readonly<{ requestId: string; isNew: boolean }>,
  ): Promise<ReservationOutcome> {
    const { phase, reason, message = '', refused = {}, reservationID } = object.status ?? {}
    if (phase === 'Failed') {
      // A refusal is not remembered: the next request with this id is decided again.
      await remove(object)
      if (reason === 'ClusterDenied')
        throw new BrokerRefused(message, { status: 403, code: 'ClusterDenied' })
      if (reason !== 'NoClusterFits')
        throw new BrokerRefused(message, { status: 400, code: 'InvalidRequest' })
      return { kind: 'refused', requestId, message, refused, rows: [] }
    }
    // The object stays, so that the same request finds its outcome.
    if (reason === RATE_LIMITED) throw new BrokerBusy(message, TOO_MANY)
    if (reservationID === undefined) return { kind: 'tombstoned', requestId, message }
    const reservation = toReservation(object)
    const told = { requestId, ...(await ports.stamp()), reservation }
    return phase === 'Pending' ? { kind: 'waiting', ...told } : { kind: 'reserved', isNew, ...told }
  }

  /** Blocks a late request with this id, or finds what to release. */
  async function forgo(requestId: string): Promise<ReservationObject | undefined> {
    const name = requestName(place.clusterId, requestId)
    const found = await find(name)
    if (found?.status?.phase === 'Failed') await remove(found)
    else if (found) return isReleasedEarly(found) ? undefined : found
    if (await create(releasedEarly(place, name, requestId))) return undefined
    return forgo(requestId)
  }
}

/** Every status of a broker says more than Pending, with which each object begins. */
function isDecided({ status }: ReservationObject): boolean {
  if (status?.phase !== 'Pending') return status?.phase !== undefined
  return status.reason !== undefined || status.reservationID !== undefined
}

function reused({ metadata }: ReservationObject): BrokerRefused {
  return new BrokerRefused(
    `The request id of ${metadata.name} was used for another request: use a new one.`,
    { status: 422, code: 'RequestIdReused' },
  )
}
