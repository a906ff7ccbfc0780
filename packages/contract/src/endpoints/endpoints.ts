import { advertisementEndpoints } from './advertisement-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { peeringEndpoints } from './peering-endpoints.ts'
import { questionEndpoints } from './question-endpoints.ts'
import { reservationEndpoints } from './reservation-endpoints.ts'

export const endpoints: readonly Endpoint[] = [
  ...advertisementEndpoints,
  ...reservationEndpoints,
  ...peeringEndpoints,
  ...questionEndpoints,
]

/** Problems that any endpoint may answer with. */
export const everywhere = [
  'InvalidRequest',
  'UnprovenIndex',
  'InvalidIdentity',
  'ClusterDenied',
  'CertificateRevoked',
  'CertificateExpired',
  'RequestTimeout',
  'RateLimited',
  'HeadersTooLarge',
  'InternalError',
  'Unavailable',
] as const

/** Problems that any endpoint with a body may answer with. */
export const ofBodies = ['MalformedJson', 'BodyTooLarge', 'UnsupportedMediaType'] as const
