import type { Listener } from '@bourse/kube'
import { type ResourceRequest, uidOf } from './resource-request.ts'

/** Which ResourceRequest a reservation belongs to. */
export function createRequestKeys() {
  const byUid = new Map<string, string>()
  const byReservation = new Map<string, string>()

  const listener: Listener<ResourceRequest> = {
    added: note,
    changed(request, before, key) {
      if (uidOf(before) !== uidOf(request)) drop(before)
      note(request, key)
    },
    removed: drop,
  }
  return {
    listener,
    ofUid: (uid: string | undefined) => (uid === undefined ? undefined : byUid.get(uid)),
    refOfUid(uid: string | undefined) {
      const key = uid === undefined ? undefined : byUid.get(uid)
      if (uid === undefined || key === undefined) return undefined
      const [namespace = '', name = ''] = key.split('/')
      return { namespace, name, uid }
    },
    ofReservation: (id: string) => byReservation.get(id),
  }

  function note(request: ResourceRequest, key: string): void {
    byUid.set(uidOf(request), key)
    const { reservationName } = request.status ?? {}
    if (reservationName !== undefined) byReservation.set(reservationName, key)
  }

  function drop(request: ResourceRequest): void {
    byUid.delete(uidOf(request))
    const { reservationName } = request.status ?? {}
    if (reservationName !== undefined) byReservation.delete(reservationName)
  }
}
