import type { AdvertisementInput, ReservationRequest } from '@bourse/contract'

type Amounts = Readonly<Record<string, string>>
type More = Readonly<{ allocated?: Amounts }> &
  Partial<Omit<AdvertisementInput, 'clusterID' | 'resources'>>

/** A cluster that says it has this much, all of it allocatable and none of it in use. */
export function anAdvertisement(
  clusterId: string,
  capacity: Amounts = {},
  { allocated = {}, ...more }: More = {},
): AdvertisementInput {
  const all = { cpu: '8', memory: '32Gi', ...capacity }
  return {
    clusterID: clusterId,
    clusterName: clusterId,
    resources: {
      capacity: all,
      allocatable: all,
      allocated: { cpu: '0', memory: '0', ...allocated },
    },
    timestamp: new Date().toISOString(),
    ...more,
  }
}

/** One core and a gibibyte until released, unless told otherwise. */
export function aRequest(
  requestedResources: Amounts = { cpu: '1', memory: '1Gi' },
  more: Partial<Omit<ReservationRequest, 'requestedResources'>> = {},
): ReservationRequest {
  return { requestedResources, ...more }
}
