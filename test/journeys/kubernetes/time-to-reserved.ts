import { reservationKind } from '@bourse/contract/kinds'
import type { KubeObject } from '@bourse/kube'
import type { BrokerOnObjects } from './broker-on-objects.ts'

type Made = KubeObject<unknown, { phase?: string }>
type Times = Readonly<{
  /** Until a watch tells that it exists, which is nothing of ours. */
  seenMs: number
  /** Until a watch tells how it was decided. */
  decidedMs: number
}>

/** Makes a Reservation and watches what becomes of it, from before it is made. */
export async function timeToStatus({ client }: BrokerOnObjects, object: Made): Promise<Times> {
  const { resourceVersion } = await client.list(reservationKind, { namespace: 'default' })
  const startedAt = performance.now()
  await client.create(reservationKind, object)
  const watched = client.watch<Made>(reservationKind, { namespace: 'default', resourceVersion })
  let seenMs: number | undefined
  for await (const event of watched) {
    if (!('object' in event) || event.object.metadata.name !== object.metadata.name) continue
    const passedMs = performance.now() - startedAt
    seenMs ??= passedMs
    if (event.object.status?.phase) return { seenMs, decidedMs: passedMs }
  }
  throw new Error('The watch ended before it was decided.')
}
