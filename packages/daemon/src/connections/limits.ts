/** What one port holds, and for how long; a test lowers them. */
export type ConnectionLimits = Readonly<{
  /** Connections that have shown who they are, or on a port without TLS all of them. */
  openMax: number
  /** Of those, by one caller: its certificate, or its address where there is none. */
  openPerCallerMax: number
  /**
   * Whether any idle connection gives way to a newcomer. Where callers are known only those of a
   * caller that holds more than the newcomer does.
   */
  newcomersFirst: boolean
  /** Accepted, and not through their handshake; in all, and from one address. */
  arrivingMax: number
  arrivingPerAddressMax: number
  /** How long one may take to say hello. */
  silentMs: number
  /**
   * Handshakes at work. Each costs ten times the memory of one that has not begun, and malloc keeps
   * much of what most of them took: no more than a busy processor can go on with.
   */
  handshakesMax: number
  /** Turns of the event loop between two handshakes, while more connections are arriving. */
  arrivalsPerHandshake: number
  /** Requests on one connection that wait for the answer to an earlier one. */
  pipelinedMax: number
  /** How long the other side may take to hang up after the last answer. */
  endedMs: number
  /** How long an answer may wait without a byte of it being taken. */
  unreadMs: number
}>

/**
 * For ports with client certificates. A whole federation may share one address behind NAT and come
 * back at once, so one address may have as many arriving as the kernel's backlog holds.
 */
export const knownCallerLimits: Omit<ConnectionLimits, 'openMax'> = {
  // Above the long polls and streams that one caller may keep.
  openPerCallerMax: 2_500,
  newcomersFirst: false,
  arrivingMax: 6_000,
  arrivingPerAddressMax: 4_096,
  // A client of a busy machine connects long before it speaks, and silence is cheap.
  silentMs: 15_000,
  handshakesMax: 128,
  arrivalsPerHandshake: 16,
  pipelinedMax: 4,
  endedMs: 5_000,
  unreadMs: 20_000,
}

/** For ports that anybody may ask, and few do: one kubelet, one Prometheus, some browsers. */
export const anybodyLimits: ConnectionLimits = {
  openMax: 256,
  openPerCallerMax: 256,
  newcomersFirst: true,
  arrivingMax: 256,
  arrivingPerAddressMax: 128,
  silentMs: 5_000,
  handshakesMax: 64,
  arrivalsPerHandshake: 16,
  pipelinedMax: 4,
  endedMs: 5_000,
  unreadMs: 20_000,
}

/** Connections the kernel keeps until we accept them; it turns the rest away for a second. */
export const BACKLOG = 4_096

/** Answers that nobody has taken yet, over all ports; beyond it the largest are given up. */
export const UNWRITTEN_BYTES_MAX = 32 * 1024 * 1024
/** All deadlines are looked at together: a timer for each answer would cost more than it. */
export const SWEEP_MS = 500
/** What passes between two looks at most, as far as deadlines are concerned. */
export const STEP_MAX_MS = 2 * SWEEP_MS
/** What waits is looked at after so many answers, too. */
export const ANSWERS_BETWEEN_LOOKS = 64
/** With many connections a look takes longer, and comes less often: after a share of them. */
export const CONNECTIONS_PER_ANSWER = 8
/** How long a probe goes on telling of connections that were refused. */
export const TELL_REFUSED_MS = 15_000
