import type { Endpoint } from './endpoint.ts'
import { advertisementEndpoints } from './endpoints/advertisement-endpoints.ts'
import { peeringEndpoints } from './endpoints/peering-endpoints.ts'
import { questionEndpoints } from './endpoints/question-endpoints.ts'
import { reservationEndpoints } from './endpoints/reservation-endpoints.ts'

export const endpoints: readonly Endpoint[] = [
  ...advertisementEndpoints,
  ...reservationEndpoints,
  ...peeringEndpoints,
  ...questionEndpoints,
]

/** Problems that any endpoint may answer with. */
export const everywhere = [
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

/** And those that any may answer with that takes a body. */
export const ofBodies = ['MalformedJson', 'BodyTooLarge', 'UnsupportedMediaType'] as const
