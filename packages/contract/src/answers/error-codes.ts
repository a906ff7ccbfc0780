type ErrorEntry = Readonly<{ status: number; title: string; next: string }>

/** Every error: code, HTTP status, what happened, what to do. */
export const errorCodes = {
  MalformedJson: {
    status: 400,
    title: 'The body is not valid JSON.',
    next: 'Correct the body at the place the detail names.',
  },
  InvalidRequest: {
    status: 400,
    title: 'The request is not valid.',
    next: 'Correct the fields listed in `fields`; nothing was changed.',
  },
  UnprovenIndex: {
    status: 400,
    title: 'Bourse-Seen is not a valid proof.',
    next: 'Send the Bourse-Ledger and Bourse-Proof of an earlier answer, or no Bourse-Seen.',
  },
  InvalidIdentity: {
    status: 403,
    title: 'The certificate does not name a cluster.',
    next: 'Use a client certificate with exactly one Common Name, a DNS-1123 label.',
  },
  CertificateRevoked: {
    status: 403,
    title: 'The certificate has been revoked.',
    next: 'Ask the operator of the federation for a new certificate.',
  },
  CertificateExpired: {
    status: 403,
    title: 'The certificate is outside its period of validity.',
    next: 'Renew the certificate; the connection has to be opened again with it.',
  },
  ClusterDenied: {
    status: 403,
    title: 'This cluster is not admitted to the exchange.',
    next: 'Ask the operator to change --allow-clusters or --deny-clusters.',
  },
  NotYours: {
    status: 403,
    title: 'This belongs to another cluster.',
    next: 'Use the certificate of that cluster, or of an operator.',
  },
  OperatorOnly: {
    status: 403,
    title: 'Only an operator may do this.',
    next: 'Use a certificate with the Organization bourse:admin.',
  },
  RouteNotFound: {
    status: 404,
    title: 'There is nothing at this address.',
    next: 'GET /api/v1/openapi.json lists all addresses.',
  },
  ReservationNotFound: {
    status: 404,
    title: 'There is no such reservation.',
    next: 'Check the id; ended reservations are kept as long as --history says.',
  },
  AdvertisementNotFound: {
    status: 404,
    title: 'No such cluster has advertised.',
    next: 'Check the cluster id; a cluster appears with its first advertisement.',
  },
  PeeringNotFound: {
    status: 404,
    title: 'There is no such peering session.',
    next: 'It was closed, replaced, or expired: open a new one, under a new id.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'This address does not take that method.',
    next: 'Use one of the methods in the Allow header.',
  },
  RequestTimeout: {
    status: 408,
    title: 'The request did not arrive in time.',
    next: 'Send it again, without pauses.',
  },
  NoClusterFits: {
    status: 409,
    title: 'No cluster can hold this.',
    next: 'Ask for less, or wait until capacity returns; `explanation` says what is missing where.',
  },
  RequestReleased: {
    status: 409,
    title: 'This request id was released.',
    next: 'Nothing is reserved for it. To ask again, use a new request id.',
  },
  WrongPhase: {
    status: 409,
    title: 'The reservation is in a phase that does not allow this.',
    next: 'Read the reservation; an ended reservation cannot be changed.',
  },
  StillInUse: {
    status: 409,
    title: 'The cluster is still in use.',
    next: 'Withdraw it and wait until it holds nothing; delete its ClusterAdvertisement, if any.',
  },
  AgentRuns: {
    status: 409,
    title: 'The agent of this cluster still runs.',
    next: 'Stop it, and wait until the cluster is stale: its next advertisement would add it again.',
  },
  NoReservation: {
    status: 409,
    title: 'This pair of clusters has no live reservation.',
    next: 'Reserve first: clusters peer only for what is reserved.',
  },
  PeeringIdTaken: {
    status: 409,
    title: 'This session id belongs to another pair of clusters.',
    next: 'Choose a new id.',
  },
  TooManyPeerings: {
    status: 409,
    title: 'This cluster has too many peering sessions.',
    next: 'Close some first; those of pairs without a live reservation end within a day.',
  },
  ClaimedElsewhere: {
    status: 409,
    title: 'This cluster id already advertises in another way.',
    next: 'Advertise the cluster either by REST or as a ClusterAdvertisement, not both.',
  },
  BodyTooLarge: {
    status: 413,
    title: 'The body is too large.',
    next: 'Send at most 1 MiB.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'The body is not JSON.',
    next: 'Send Content-Type: application/json.',
  },
  RequestIdReused: {
    status: 422,
    title: 'This request id was used for another request.',
    next: 'Use a new request id for a new request.',
  },
  RateLimited: {
    status: 429,
    title: 'Too many requests from this cluster.',
    next: 'Wait as long as Retry-After says.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'The request headers are too large.',
    next: 'Send at most 16 KiB of headers.',
  },
  InternalError: {
    status: 500,
    title: 'The broker failed on this request.',
    next: 'Try again; if it happens again, report it with the time and the address called.',
  },
  Unavailable: {
    status: 503,
    title: 'The broker cannot answer this now.',
    next: 'Wait as long as Retry-After says; repeating with the same request id is safe.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCodes

/** The `type` member of a problem: a stable name, not an address. */
export function problemType(code: ErrorCode): string {
  return `urn:bourse:problem:${code}`
}
