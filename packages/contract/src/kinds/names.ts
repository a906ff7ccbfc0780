/** The API groups of contract §5: what the broker's cluster has, and what an agent's has. */
export const BROKER_GROUP = 'broker.fluidos.eu'
export const AGENT_GROUP = 'liqo.io'
export const KINDS_VERSION = 'v1alpha1'

/** `kubectl get bourse` lists everything of ours that is meant for people. */
export const CATEGORY = 'bourse'

/** Keeps a Reservation until the broker has released what it holds. */
export const RESERVATION_FINALIZER = 'reservation.broker.fluidos.eu/finalizer'

/** The broker's name in `managedFields`. */
export const BROKER_FIELD_MANAGER = 'bourse-broker'

/**
 * Names that only the broker may give, by admission policy. A reservation made by REST is mirrored
 * under its id, which begins like this; a cluster that advertises by REST under this and its id.
 */
export const RESERVATION_MIRROR_PREFIX = 'rsv-'
export const ADVERTISEMENT_MIRROR_PREFIX = 'rest-'

/**
 * On a Reservation from its beginning: it was released before it was made, and asks for nothing. It
 * keeps a late request with the same name out, and its status says which ledger answers here.
 */
export const RELEASED_EARLY_ANNOTATION = 'broker.fluidos.eu/released-early'

/** On a Reservation that the Kubernetes transport made: the caller's own request id. */
export const REQUEST_ID_ANNOTATION = 'broker.fluidos.eu/request-id'

/** What was asked, as it was written: the same request id with another body is refused. */
export const REQUEST_DIGEST_ANNOTATION = 'broker.fluidos.eu/request-digest'

/**
 * On what the Kubernetes transport writes: the newest proof that a cluster has seen of the ledger,
 * as Bourse-Seen of REST has it.
 */
export const LEDGER_SEEN_ANNOTATION = 'broker.fluidos.eu/ledger-seen'

/** Conditions of a Reservation that a requester writes; all others are the broker's. */
export const REQUESTER_ACTIVE = 'RequesterActive'
export const REQUESTER_RELEASED = 'RequesterReleased'
