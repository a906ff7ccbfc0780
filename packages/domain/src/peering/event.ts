import type {
  PeeringEnd,
  PeeringRole,
  PeeringSession,
  PeeringStep,
  PeeringTrouble,
} from './session.ts'

/** What happens to a session. Each names the pair, so that a reader needs no session. */
export type PeeringEvent =
  | (Readonly<{ kind: 'peeringOpened'; hello: string }> & Pair & Pick<PeeringSession, 'networking'>)
  | (Readonly<{ kind: 'peeringPosted'; step: PeeringStep; sealed: string }> & Pair)
  | (Readonly<{ kind: 'peeringTroubled'; role: PeeringRole; trouble: PeeringTrouble }> & Pair)
  | (Readonly<{ kind: 'peeringClosed'; reason: PeeringEnd }> & Pair)

type Pair = Readonly<{ at: number; id: string; requester: string; provider: string }>
