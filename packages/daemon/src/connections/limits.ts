/** The limits of one port. */
export type ConnectionLimits = Readonly<{
  /** Connections after their handshake; on a port without TLS, all of them. */
  openMax: number
  /** Of those, per caller: by its certificate, or by its address if it has none. */
  openPerCallerMax: number
  /**
   * True: any idle connection is dropped for a new one. False: only one of a caller that holds
   * more than the new connection's caller does.
   */
  newcomersFirst: boolean
  /** Connections before the end of their handshake: in total, and per address. */
  arrivingMax: number
  arrivingPerAddressMax: number
  /** How long a connection may take to send its hello. */
  silentMs: number
  /**
   * Concurrent handshakes. Each takes ten times the memory of a silent connection, and malloc
   * keeps much of the peak: no more than a busy CPU can process.
   */
  handshakesMax: number
  /** Turns of the event loop between two handshakes while more connections arrive. */
  arrivalsPerHandshake: number
  /** Requests of one connection that wait for an earlier answer. */
  pipelinedMax: number
  /** How long the client may take to close after the last answer. */
  endedMs: number
  /** How long an answer may wait without the client taking a byte. */
  unreadMs: number
}>

const everywhere = {
  arrivalsPerHandshake: 16,
  pipelinedMax: 4,
  endedMs: 5_000,
  unreadMs: 20_000,
}

/**
 * For ports with client certificates. A whole federation may reconnect at once from one address
 * behind NAT, so an address may have as many arriving connections as the kernel's backlog.
 */
export const knownCallerLimits: Omit<ConnectionLimits, 'openMax'> = {
  ...everywhere,
  // Above the number of long polls and streams allowed per caller.
  openPerCallerMax: 2_500,
  newcomersFirst: false,
  arrivingMax: 6_000,
  arrivingPerAddressMax: 4_096,
  // A client on a busy machine connects long before its hello, and silence is cheap.
  silentMs: 15_000,
  handshakesMax: 128,
}

/** For ports without client certificates and with few callers: a kubelet, a Prometheus. */
export const openPortLimits: ConnectionLimits = {
  ...everywhere,
  openMax: 256,
  openPerCallerMax: 256,
  newcomersFirst: true,
  arrivingMax: 256,
  arrivingPerAddressMax: 128,
  silentMs: 5_000,
  handshakesMax: 64,
}

/** Connections that the kernel queues until we accept them; others retry after a second. */
export const BACKLOG = 4_096

/** Bytes of answers not yet taken by clients, over all ports; above it the largest are dropped. */
export const UNWRITTEN_BYTES_MAX = 32 * 1024 * 1024
/** All deadlines are checked together: a timer for each answer would cost too much. */
export const SWEEP_MS = 500
/** The most that deadlines advance between two checks. */
export const STEP_MAX_MS = 2 * SWEEP_MS
/** Unwritten bytes are also checked after so many answers. */
export const ANSWERS_BETWEEN_LOOKS = 64
/** With many connections a check takes longer, so it runs after connections / 8 answers. */
export const CONNECTIONS_PER_ANSWER = 8
/** How long a probe reports refused connections. */
export const TELL_REFUSED_MS = 15_000
