import { randomUUID } from 'node:crypto'
import type { Clock, KubeClient } from '@bourse/kube'
import type {
  BrokerCommunicator,
  Released,
  Stamp,
  Which,
} from '../communicator/broker-communicator.ts'
import { ClientClosed } from '../communicator/errors.ts'
import type { Persist } from '../communicator/retry.ts'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import type { Place, ReservationObject } from './broker-objects.ts'
import { createChanges, lookUp } from './changes.ts'
import { followSet } from './follow-set.ts'
import { createLedgerSense } from './ledger-sense.ts'
import { noPeerings } from './no-peerings.ts'
import { publish } from './publish.ts'
import { isHeld, toAdvertisement, toReservation } from './read-objects.ts'
import { createRequests } from './requests.ts'
import { createReservationSet, createScope } from './reservation-set.ts'
import { sweep } from './sweep.ts'

type Ports = Readonly<{
  client: KubeClient
  place: Omit<Place, 'seen'>
  clock: Clock
  persist: Persist
  onTrouble(fault: Error): void
}>

/** An agent's calls as objects of the contract, §5. */
export function createKubernetesCommunicator(ports: Ports): BrokerCommunicator {
  const { client, clock, persist, onTrouble } = ports
  const { clusterId } = ports.place
  const seen = createSeenProofs()
  const place = { ...ports.place, seen: seen.text }
  const ending = new AbortController()
  const closing = ending.signal
  const scope = createScope(client, place.namespace)
  const saw: Parameters<typeof createReservationSet>[0]['saw'] = (object, isGone) =>
    ledger.saw(object, isGone)
  const watched = { client, scope, saw, clock }

  const requested = createReservationSet({
    ...watched,
    fieldSelector: `spec.requesterID=${clusterId}`,
  })
  const held = createReservationSet({
    ...watched,
    fieldSelector: `status.targetClusterID=${clusterId}`,
  })
  const ledger = createLedgerSense({ client, place, requested, seen, closing, onTrouble })
  const { stamp } = ledger
  const requests = createRequests({ client, place, requested, stamp, closing })
  const changes = createChanges({ client, requested, requests, clock, closing })
  const following = { stamp, clock, closing }
  const instructions = followSet({ ...following, set: held, counts: isHeld, tell: asInstructions })
  const reservations = followSet({
    ...following,
    set: requested,
    counts: wasGranted,
    tell: asReservations,
  })

  return {
    publishAdvertisement: (input) =>
      persist(async () => {
        const object = await publish({ client, place, clock, closing }, input)
        ledger.sawProof(object)
        const told = await instructions.answer(await held.listed())
        requested
          .items()
          .then((made) => sweep(ports, made))
          .catch(onTrouble)
        return { ...told, advertisement: toAdvertisement(object) }
      }),
    requestReservation(request) {
      const requestId = request.requestId || randomUUID()
      return persist(() => requests.reserve(requestId, request))
    },
    fetchInstructions: (waiting = {}) =>
      persist(() => instructions.fetch(waiting), waiting.signal ? { signal: waiting.signal } : {}),
    watchInstructions: instructions.watch,
    watchReservations: reservations.watch,
    getReservation: (id) => persist(async () => toReservation(await lookUp(id, [requested, held]))),
    release: (which) => persist(() => release(which)),
    activate: (id) =>
      persist(async () => toReservation(await changes.activate(await changes.byId(id)))),
    renew: (id, duration) =>
      persist(async () => toReservation(await changes.renew(await changes.byId(id), duration))),
    ping: () =>
      persist(async () => {
        await ledger.ask()
        return stamp()
      }),
    remember: seen.remember,
    ...noPeerings,
    async close() {
      ending.abort(new ClientClosed())
      await Promise.all([requested.stop(), held.stop()])
      await client.close()
    },
  }

  async function release(which: Which): Promise<Released> {
    const found =
      'id' in which ? await changes.byId(which.id) : await requests.forgo(which.requestId)
    if (!found) return { kind: 'tombstoned', ...(await stamp()) }
    const released = await changes.release(found)
    if (!wasGranted(released)) return { kind: 'tombstoned', ...(await stamp()) }
    return { kind: 'released', ...(await stamp()), reservation: toReservation(released) }
  }
}

function asInstructions(objects: readonly ReservationObject[], stamp: Stamp) {
  return { ...stamp, instructions: objects.map(toReservation) }
}

function asReservations(objects: readonly ReservationObject[], stamp: Stamp) {
  return { ...stamp, reservations: objects.map(toReservation) }
}

/** Held or waiting; not refused or given up. */
function wasGranted({ status }: ReservationObject): boolean {
  return status?.reservationID !== undefined
}
