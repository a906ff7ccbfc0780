/** contract §4: what is larger than this is refused, with the limit in the message. */
export const BODY_BYTES_MAX = 1024 * 1024
export const HEADER_BYTES_MAX = 16 * 1024
export const CLUSTER_ID_LENGTH_MAX = 63
export const REQUEST_ID_LENGTH_MAX = 128
export const CLUSTER_NAME_LENGTH_MAX = 253
export const ENDPOINT_URL_LENGTH_MAX = 2_048
export const LOCATION_LENGTH_MAX = 256
/** Kinds of resources in one vector: far more than a node has. */
export const RESOURCE_KINDS_MAX = 64
export const LABELS_MAX = 64
export const GPU_MODELS_MAX = 64
/** As Kubernetes has them: a domain of 253 and a name of 63 characters, and a value of 63. */
export const LABEL_NAME_LENGTH_MAX = 317
export const LABEL_VALUE_LENGTH_MAX = 63
export const GPU_MODEL_LENGTH_MAX = 253
export const RESOURCE_NAME_LENGTH_MAX = 317
/** Of all names in one vector: real ones have about 20 characters each. */
export const RESOURCE_NAMES_LENGTH_MAX = 2_048
/** Reservations with `used` in one advertisement. */
export const USED_MAX = 10_000
export const PRIORITY_MIN = -2_147_483_648
export const PRIORITY_MAX = 2_147_483_647
export const PAGE_SIZE_DEFAULT = 100
export const PAGE_SIZE_MAX = 1_000
/** A page with long rows ends earlier, with its cursor. */
export const PAGE_BYTES_MAX = 1024 * 1024
/** How long what a withdrawn cluster holds may continue, unless told otherwise. */
export const GRACE_DEFAULT = '5m'
/** The longest a long poll may stay open. */
export const WAIT_MAX_MS = 60_000
/** An error names this many fields at most. */
export const PROBLEM_FIELDS_MAX = 20

/** DNS-1123 label: what a cluster id, and so a certificate's Common Name, looks like. */
export const CLUSTER_ID_PATTERN = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

/** The requester chooses it, so that its signature covers it: 130 random bits. */
export const PEERING_ID_PATTERN = '^ps-[a-z2-7]{26}$'
/** Events of the past with which a stream may begin. */
export const LAST_EVENTS_MAX = 1_000
/** One message of a peering: a certificate chain, a signature and a request for a certificate. */
export const SEALED_LENGTH_MAX = 16 * 1024
export const TROUBLE_REASON_PATTERN = '^[A-Z][A-Za-z0-9]{0,63}$'
export const TROUBLE_MESSAGE_LENGTH_MAX = 1_024
