import {
  BROKER_FIELD_MANAGER,
  RESERVATION_FINALIZER,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import type { KubeClient } from '@bourse/kube'
import {
  type AskedReservation,
  brokersPart,
  decodeReservation,
  type ReservationKubeObject,
} from '../objects/reservation-object.ts'
import { isBehind, proven, saysTheSame } from '../objects/same-status.ts'

/** The few things the broker does to a Reservation; each answers with the object as it is then. */
export type ReservationWrites = {
  /** Puts the finalizer on and fills in the provider that was chosen, in one write. */
  hold(object: AskedReservation, clusterId: string): Promise<void>
  /** Takes the finalizer off. */
  letGo(object: AskedReservation): Promise<void>
  /** Writes the status, if it says anything new. */
  show(object: AskedReservation, status: ReservationStatus): Promise<AskedReservation>
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'mergePatch'>
  /** A newer version than the watch has told of so far. */
  wrote(object: AskedReservation): void
  /** Called before a changed status is written: after a crash an Event may be written twice. */
  tell(object: AskedReservation, status: ReservationStatus): void
  /** How far the ledger is. */
  proof(): string
}>

const fieldManager = BROKER_FIELD_MANAGER

/**
 * Every write names the version it was decided on: what a leader that was frozen for a while
 * believes meets a conflict, and never overwrites what the next leader has shown.
 */
export function createReservationWrites({ client, wrote, tell, proof }: Ports): ReservationWrites {
  return {
    async hold(object, targetClusterID) {
      // Both every time: what an apply leaves out that it had applied before is taken away.
      const metadata = { ...versionOf(object), finalizers: [RESERVATION_FINALIZER] }
      const wanted = { metadata, spec: { targetClusterID } }
      // An empty provider in a user's manifest stays theirs, and still has to be filled in.
      const options = { fieldManager, force: true }
      noted(object, await client.apply(reservationKind, wanted, options))
    },

    async letGo(object) {
      const { resourceVersion } = object
      const finalizers = object.finalizers.filter((name) => name !== RESERVATION_FINALIZER)
      const patch = { metadata: { resourceVersion, finalizers } }
      noted(object, await client.mergePatch(reservationKind, object, patch, { fieldManager }))
    },

    async show(object, status) {
      if (isBehind(status, object.shown) || saysTheSame(object.shown, brokersPart(status)))
        return object
      tell(object, status)
      const wanted = { metadata: versionOf(object), status: proven(status, proof) }
      const options = { fieldManager, force: true, subresource: 'status' } as const
      return noted(object, await client.apply(reservationKind, wanted, options))
    },
  }

  function noted(before: AskedReservation, written: ReservationKubeObject): AskedReservation {
    const object = decodeReservation(written)
    if (object?.kind !== 'asked') throw new Error(`${before.name} came back as something else`)
    wrote(object)
    return object
  }
}

function versionOf({ name, namespace, resourceVersion }: AskedReservation) {
  return { name, namespace, resourceVersion }
}
