import {
  BROKER_FIELD_MANAGER,
  RESERVATION_FINALIZER,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import type { KubeClient } from '@bourse/kube'
import { createApply } from '../objects/object-writes.ts'
import {
  type AskedReservation,
  brokersPart,
  decodeReservation,
  type ReservationKubeObject,
} from '../objects/reservation-object.ts'
import { isBehind, saysTheSame } from '../objects/same-status.ts'

export type ReservationWrites = ReturnType<typeof createReservationWrites>

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

/** The few things the broker does to a Reservation. */
export function createReservationWrites(ports: Ports) {
  const { client, wrote, tell } = ports
  const apply = createApply<ReservationKubeObject>(reservationKind, ports)
  return {
    /** Puts the finalizer on and fills in the provider that was chosen, in one write. */
    async hold(object: AskedReservation, targetClusterID: string): Promise<void> {
      // Both every time: what an apply leaves out that it had applied before is taken away.
      const metadata = { finalizers: [RESERVATION_FINALIZER] }
      // An empty provider in a user's manifest stays theirs, and still has to be filled in.
      noted(object, await apply(object, { metadata, spec: { targetClusterID } }))
    },

    /** Takes the finalizer off. */
    async letGo(object: AskedReservation): Promise<void> {
      const { resourceVersion } = object
      const finalizers = object.finalizers.filter((name) => name !== RESERVATION_FINALIZER)
      const patch = { metadata: { resourceVersion, finalizers } }
      noted(object, await client.mergePatch(reservationKind, object, patch, { fieldManager }))
    },

    /** Writes the status, if it says anything new; answers with the object as it is then. */
    async show(object: AskedReservation, status: ReservationStatus): Promise<AskedReservation> {
      if (isBehind(status, object.shown) || saysTheSame(object.shown, brokersPart(status)))
        return object
      tell(object, status)
      return noted(object, await apply(object, { status }))
    },
  }

  function noted(before: AskedReservation, written: ReservationKubeObject): AskedReservation {
    const object = decodeReservation(written)
    if (object?.kind !== 'asked') throw new Error(`${before.name} came back as something else`)
    wrote(object)
    return object
  }
}
