export type PeeringStep =
  | 'hello'
  | 'nonce'
  | 'tenant'
  | 'grant'
  | 'gateway'
  | 'tunnel'
  | 'ready'
  | 'goodbye'

export type PeeringRole = 'requester' | 'provider'

/**
 *   open ──ready──► established ──goodbye──► closing ──► closed, by either side
 *     └────────────────goodbye───────────────► ┘
 *
 * A session that is silent for too long expires.
 */
export type PeeringState = 'open' | 'established' | 'closing'

export type PeeringTrouble = Readonly<{ reason: string; message: string }>

export type PeeringEnd = 'Closed' | 'Replaced' | 'Expired'

/** What two agents tell each other, by step. The ledger never reads the messages. */
export type PeeringSession = Readonly<{
  id: string
  requester: string
  provider: string
  networking: 'none' | 'wireguard'
  state: PeeringState
  messages: Readonly<Partial<Record<PeeringStep, string>>>
  /** When each step was last posted; stays when its message is dropped. */
  postedAt: Readonly<Partial<Record<PeeringStep, number>>>
  trouble: Readonly<Partial<Record<PeeringRole, PeeringTrouble>>>
  openedAt: number
  /** Absent while it is established or closing and the pair has a live reservation. */
  expiresAt?: number
}>

/** What happens to a session. Each names the pair, so that a reader needs no session. */
export type PeeringEvent = Readonly<{ at: number }> &
  Pick<PeeringSession, 'id' | 'requester' | 'provider'> &
  (
    | (Readonly<{ kind: 'peeringOpened'; hello: string }> & Pick<PeeringSession, 'networking'>)
    | Readonly<{ kind: 'peeringPosted'; step: PeeringStep; sealed: string }>
    | Readonly<{ kind: 'peeringTroubled'; role: PeeringRole; trouble: PeeringTrouble }>
    | Readonly<{ kind: 'peeringClosed'; reason: PeeringEnd }>
  )

const HOUR_MS = 3_600_000
/** A handshake takes seconds: one that is silent for so long has failed. */
const SILENT_MS = HOUR_MS
/** After the pair's last reservation: long enough to take everything down in order. */
const LINGER_MS = 24 * HOUR_MS

const STEPS_OF: Readonly<Record<PeeringRole, readonly PeeringStep[]>> = {
  requester: ['hello', 'tenant', 'tunnel', 'ready', 'goodbye'],
  provider: ['nonce', 'grant', 'gateway'],
}

/** What a goodbye is checked against. Other messages are dropped once the pair has peered. */
const KEPT: readonly PeeringStep[] = ['hello', 'nonce', 'ready', 'goodbye']

export function roleIn(session: PeeringSession, clusterId: string): PeeringRole | undefined {
  if (session.requester === clusterId) return 'requester'
  return session.provider === clusterId ? 'provider' : undefined
}

export function mayPost(role: PeeringRole, step: PeeringStep): boolean {
  return STEPS_OF[role].includes(step)
}

/** Once it is established or closing, only a goodbye changes it. */
export function isTooLate({ state }: PeeringSession, step: PeeringStep): boolean {
  return state !== 'open' && step !== 'goodbye'
}

type EventOf<K extends PeeringEvent['kind']> = Extract<PeeringEvent, { kind: K }>

export function opened(event: EventOf<'peeringOpened'>): PeeringSession {
  const { id, requester, provider, networking, hello, at } = event
  return {
    id,
    requester,
    provider,
    networking,
    state: 'open',
    messages: { hello },
    postedAt: { hello: at },
    trouble: {},
    openedAt: at,
    expiresAt: at + SILENT_MS,
  }
}

/** `isIdle`: the pair has no live reservation. */
export function withMessage(
  session: PeeringSession,
  { step, sealed, at }: EventOf<'peeringPosted'>,
  isIdle: boolean,
): PeeringSession {
  const state = stateAfter(session.state, step)
  const role = mayPost('requester', step) ? 'requester' : 'provider'
  const { [role]: _settled, ...trouble } = session.trouble
  const messages = { ...session.messages, [step]: sealed }
  const next: PeeringSession = {
    ...session,
    state,
    messages: state === 'open' ? messages : onlyKept(messages),
    postedAt: { ...session.postedAt, [step]: at },
    trouble,
  }
  if (state === 'open') return { ...next, expiresAt: at + SILENT_MS }
  return isIdle ? { ...next, expiresAt: at + LINGER_MS } : endless(next)
}

/** `idleSince`: when the pair's last reservation ended. An open session ends by silence alone. */
export function withIdleness(session: PeeringSession, idleSince?: number): PeeringSession {
  if (session.state === 'open') return session
  return idleSince === undefined
    ? endless(session)
    : { ...session, expiresAt: idleSince + LINGER_MS }
}

function stateAfter(state: PeeringState, step: PeeringStep): PeeringState {
  if (step === 'goodbye') return 'closing'
  return step === 'ready' && state === 'open' ? 'established' : state
}

function onlyKept(messages: PeeringSession['messages']): PeeringSession['messages'] {
  const kept: Partial<Record<PeeringStep, string>> = {}
  for (const step of KEPT) {
    const message = messages[step]
    if (message !== undefined) kept[step] = message
  }
  return kept
}

function endless({ expiresAt: _never, ...session }: PeeringSession): PeeringSession {
  return session
}
