import { REQUESTER_ACTIVE, REQUESTER_RELEASED } from '@bourse/contract/names'
import type { Clock, KubeClient } from '@bourse/kube'
import { BrokerRefused } from '../communicator/errors.ts'
import { isMirror, RESERVATION, type ReservationObject } from './broker-objects.ts'
import { FIELD_MANAGER } from './publish.ts'
import { hasEnded } from './read-objects.ts'
import type { Requests } from './requests.ts'
import type { ReservationSet } from './reservation-set.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'mergePatch'>
  requested: Pick<ReservationSet, 'items' | 'listed'>
  requests: Pick<Requests, 'answered'>
  clock: Pick<Clock, 'now'>
  closing: AbortSignal
}>

/** How a requester changes its reservation: by conditions and by the duration. */
export function createChanges({ client, requested, requests, clock, closing }: Ports) {
  return { release, activate, renew, byId }

  async function release(object: ReservationObject): Promise<ReservationObject> {
    if (hasEnded(object)) return object
    await say(object, REQUESTER_RELEASED)
    return requests.answered(object, hasEnded)
  }

  async function activate(object: ReservationObject): Promise<ReservationObject> {
    if (object.status?.phase === 'Active') return object
    if (hasEnded(object)) throw ended(object)
    await say(object, REQUESTER_ACTIVE)
    const answer = await requests.answered(
      object,
      (one) => one.status?.phase === 'Active' || hasEnded(one),
    )
    if (hasEnded(answer)) throw ended(answer)
    return answer
  }

  async function renew(object: ReservationObject, duration: string): Promise<ReservationObject> {
    if (hasEnded(object)) throw ended(object)
    // Only a changed text renews, so the same duration is written in another form.
    const isSame = object.spec?.duration === duration
    const patch = { spec: { duration: isSame ? `${duration}1ms` : duration } }
    const options = { fieldManager: FIELD_MANAGER, signal: closing }
    const written = await client.mergePatch(RESERVATION, object.metadata, patch, options)
    const { generation = 0 } = written.metadata
    const answer = await requests.answered(
      object,
      ({ status }) => (status?.observedGeneration ?? 0) >= generation,
    )
    if (hasEnded(answer)) throw ended(answer)
    if (answer.status?.expiresAt !== object.status?.expiresAt) return answer
    throw new BrokerRefused(`${idOf(object)} was not renewed. ${answer.status?.message}`, {
      status: 400,
      code: 'InvalidRequest',
    })
  }

  /** Writes one condition; the API server merges conditions by type. */
  async function say({ metadata }: ReservationObject, type: string): Promise<void> {
    const { name, namespace } = metadata
    const lastTransitionTime = new Date(clock.now()).toISOString()
    const conditions = [{ type, status: 'True', lastTransitionTime }]
    const options = {
      fieldManager: `${FIELD_MANAGER}-${type}`,
      force: true,
      signal: closing,
      subresource: 'status',
    } as const
    await client.apply(
      RESERVATION,
      { metadata: { name, namespace }, status: { conditions } },
      options,
    )
  }

  /** A reservation that this cluster may change. */
  async function byId(id: string): Promise<ReservationObject> {
    const isIt = isCalled(id)
    const found = (await requested.items()).find(isIt) ?? (await requested.listed()).find(isIt)
    if (!found) throw unknown(id)
    if (!isMirror(found)) return found
    throw new BrokerRefused(`${id} was made through the REST API: change it there.`, {
      status: 409,
      code: 'ClaimedElsewhere',
    })
  }
}

/** Its current state, for its requester and its provider. */
export async function lookUp(
  id: string,
  sets: readonly Pick<ReservationSet, 'listed'>[],
): Promise<ReservationObject> {
  const found = (await Promise.all(sets.map((set) => set.listed()))).flat().find(isCalled(id))
  if (!found) throw unknown(id)
  return found
}

function isCalled(id: string) {
  return ({ status }: ReservationObject) => status?.reservationID === id
}

function unknown(id: string): BrokerRefused {
  return new BrokerRefused(`This cluster has no reservation ${id}.`, {
    status: 404,
    code: 'ReservationNotFound',
  })
}

function idOf({ metadata, status }: ReservationObject): string {
  return status?.reservationID ?? metadata.name
}

function ended(object: ReservationObject): BrokerRefused {
  return new BrokerRefused(`${idOf(object)} has ended: ${object.status?.message}.`, {
    status: 409,
    code: 'WrongPhase',
  })
}
