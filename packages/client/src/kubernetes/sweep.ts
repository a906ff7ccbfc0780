import type { Clock, KubeClient } from '@bourse/kube'
import { ignoring, isNotFound } from '@bourse/kube'
import { isOurMaking, RESERVATION, type ReservationObject } from './broker-objects.ts'
import { hasEnded } from './read-objects.ts'

type Ports = Readonly<{ client: Pick<KubeClient, 'delete'>; clock: Pick<Clock, 'now'> }>

/** contract §4: a request id is remembered for a day after its reservation has ended. */
const REMEMBERED_MS = 24 * 3_600_000
/** Per call; the next one comes soon. */
const SWEEP_MAX = 20

/** Deletes old objects that this transport created. */
export async function sweep(
  { client, clock }: Ports,
  objects: readonly ReservationObject[],
): Promise<void> {
  const over = objects.filter(
    (object) =>
      isOurMaking(object) && hasEnded(object) && endedAt(object) + REMEMBERED_MS < clock.now(),
  )
  for (const { metadata } of over.slice(0, SWEEP_MAX)) {
    const { uid = '' } = metadata
    await ignoring(isNotFound, client.delete(RESERVATION, metadata, { preconditions: { uid } }))
  }
}

function endedAt({ metadata, status }: ReservationObject): number {
  return Date.parse(status?.endedAt ?? metadata.creationTimestamp ?? '')
}
