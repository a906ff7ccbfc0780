import type { ReservationRequest } from '@bourse/contract'
import type { ResourceRequestSpec, ResourceRequestStatus } from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import type { KubeObject } from '@bourse/kube'

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
  const { cpu, memory, gpu, resources, duration, priority } = request.spec ?? {}
  return {
    requestId: uidOf(request),
    requestedResources: { ...resources, ...given({ cpu, memory, gpu }) },
    ...given({ duration, priority }),
  }
}
