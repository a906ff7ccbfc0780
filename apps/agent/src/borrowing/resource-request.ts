import type { ReservationRequest } from '@bourse/contract'
import type { ResourceRequestSpec, ResourceRequestStatus } from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import { withoutDays } from '@bourse/domain/quantity'
import type { KubeObject, Listener } from '@bourse/kube'

export type ResourceRequest = KubeObject<ResourceRequestSpec, ResourceRequestStatus>

/** Keeps a ResourceRequest until its reservation is released. */
export const RESOURCE_REQUEST_FINALIZER = 'resourcerequest.liqo.io/finalizer'

export function uidOf({ metadata }: ResourceRequest): string {
  return metadata.uid ?? ''
}

export function requestRefOf(request: ResourceRequest) {
  const { namespace = '', name } = request.metadata
  return { namespace, name, uid: uidOf(request) }
}

export function generationOf({ metadata }: ResourceRequest): number {
  return metadata.generation ?? 0
}

export function isFinished({ status }: ResourceRequest): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Released'
}

/**
 * Only the duration of a spec can change, so a new generation is a new duration. Without a status
 * at least the first generation was requested.
 */
export function isEdited(request: ResourceRequest): boolean {
  return generationOf(request) > (request.status?.observedGeneration ?? 1)
}

/** The uid is the request id: a repeat after a lost answer finds the same reservation. */
export function toReservationRequest(request: ResourceRequest): ReservationRequest {
  const { cpu, memory, gpu, resources, priority, oneNode } = request.spec ?? {}
  return {
    requestId: uidOf(request),
    requestedResources: { ...resources, ...given({ cpu, memory, gpu }) },
    ...given({ duration: durationOf(request), priority }),
    // An older broker need not know it.
    ...(oneNode && { oneNode }),
  }
}

/** As a broker of the Go original reads it, too. */
export function durationOf({ spec }: ResourceRequest): string | undefined {
  return spec?.duration === undefined ? undefined : withoutDays(spec.duration)
}

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
