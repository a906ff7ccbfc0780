import { sizeLimits } from '../../limits.ts'
import {
  isTooLate,
  mayPost,
  type PeeringEnd,
  type PeeringSession,
  roleIn,
} from '../../peering/session.ts'
import type { CommandOf } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

/** Begins a session; it replaces the pair's earlier one. */
export function openPeering(step: Step, command: CommandOf<'openPeering'>): Outcome {
  const { peerings } = step.state
  const { kind: _kind, by: _by, ...pair } = command
  const { id, requester, provider, networking, hello } = command
  const known = peerings.get(id)
  if (known && (known.requester !== requester || known.provider !== provider))
    return { kind: 'peeringIdTaken' }
  if (known && known.networking === networking && known.messages.hello === hello)
    return { kind: 'peering', session: known, changed: false }
  if (step.state.holdingOf(requester, provider) === 0) return { kind: 'noReservation' }
  const before = known ?? peerings.ofPair(requester, provider)
  const count = peerings.countBy(requester)
  if (!before && count >= sizeLimits.peeringsMax) return { kind: 'tooManyPeerings', count }

  if (before) close(step, before, 'Replaced')
  step.emit({ kind: 'peeringOpened', at: step.now, ...pair })
  return standing(step, id)
}

export function postPeering(step: Step, command: CommandOf<'postPeering'>): Outcome {
  const { id, from, step: said, sealed } = command
  const session = step.state.peerings.get(id)
  const role = session && roleIn(session, from)
  if (!session || !role) return { kind: 'missing' }
  if (!mayPost(role, said)) return { kind: 'notYourStep', role }
  if (isTooLate(session, said) || session.messages[said] === sealed)
    return { kind: 'peering', session, changed: false }

  const { requester, provider } = session
  step.emit({ kind: 'peeringPosted', at: step.now, id, requester, provider, step: said, sealed })
  return standing(step, id)
}

export function reportTrouble(step: Step, command: CommandOf<'reportPeeringTrouble'>): Outcome {
  const { id, from, trouble } = command
  const session = step.state.peerings.get(id)
  const role = session && roleIn(session, from)
  if (!session || !role) return { kind: 'missing' }
  const known = session.trouble[role]
  if (known?.reason === trouble.reason && known.message === trouble.message)
    return { kind: 'peering', session, changed: false }

  const { requester, provider } = session
  step.emit({ kind: 'peeringTroubled', at: step.now, id, requester, provider, role, trouble })
  return standing(step, id)
}

export function closePeering(step: Step, { id, from }: CommandOf<'closePeering'>): Outcome {
  const session = step.state.peerings.get(id)
  if (!session || (from !== undefined && !roleIn(session, from))) return { kind: 'missing' }
  close(step, session, 'Closed')
  return { kind: 'peering', session, changed: true }
}

export function close(step: Step, session: PeeringSession, reason: PeeringEnd): void {
  const { id, requester, provider } = session
  step.emit({ kind: 'peeringClosed', at: step.now, id, requester, provider, reason })
}

function standing({ state }: Step, id: string): Outcome {
  const session = state.peerings.get(id)
  return session ? { kind: 'peering', session, changed: true } : { kind: 'missing' }
}
