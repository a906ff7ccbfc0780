import type { ReservationRequest } from '@bourse/contract'
import type { ResourceRequestSpec, ResourceRequestStatus } from '@bourse/contract/kinds'
import type { KubeObject } from '@bourse/kube'

export type ResourceRequest = KubeObject<ResourceRequestSpec, ResourceRequestStatus>

/** Keeps a ResourceRequest until what it holds is released. */
export const RESOURCE_REQUEST_FINALIZER = 'resourcerequest.liqo.io/finalizer'

export function uidOf({ metadata }: ResourceRequest): string {
  return metadata.uid ?? ''
}

/** By which it is found again. */
export function markOf(request: ResourceRequest) {
  const { namespace = '', name } = request.metadata
  return { namespace, name, uid: uidOf(request) }
}

export function generationOf({ metadata }: ResourceRequest): number {
  return metadata.generation ?? 0
}

/** Nothing more will come of it. */
export function isFinished({ status }: ResourceRequest): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Released'
}

/**
 * Only the duration of a spec can change, so a new generation is a new duration. One that nobody
 * has answered yet was asked for as it was at first, at the least.
 */
export function isEdited(request: ResourceRequest): boolean {
  return generationOf(request) > (request.status?.observedGeneration ?? 1)
}

/** The UID is the request id: asked again after a lost answer, it is the same reservation. */
export function toReservationRequest(request: ResourceRequest): ReservationRequest {
  const { cpu, memory, gpu, resources, duration, priority } = request.spec ?? {}
  return {
    requestId: uidOf(request),
    requestedResources: {
      ...resources,
      ...(cpu !== undefined && { cpu }),
      ...(memory !== undefined && { memory }),
      ...(gpu !== undefined && { gpu }),
    },
    ...(duration !== undefined && { duration }),
    ...(priority !== undefined && { priority }),
  }
}
