import type { PeeringSession as WireSession } from '@bourse/contract'
import type { PeeringSession, PeeringStep } from '@bourse/domain/ledger'
import { isoOf } from '../../presentation/moments.ts'

export function toPeering(session: PeeringSession): WireSession {
  const { id, requester, provider, networking, state, trouble, openedAt, expiresAt } = session
  const isStuck = trouble.requester !== undefined || trouble.provider !== undefined
  return {
    id,
    requesterID: requester,
    providerID: provider,
    networking,
    state,
    messages: messagesOf(session),
    steps: stepsOf(session),
    ...(isStuck && { trouble }),
    openedAt: isoOf(openedAt),
    ...(expiresAt !== undefined && { expiresAt: isoOf(expiresAt) }),
  }
}

/** For lists: without the sealed steps, which are large and which only the other agent can open. */
export function toPeeringSummary(session: PeeringSession): WireSession {
  return { ...toPeering(session), messages: {} }
}

function messagesOf({ messages, postedAt }: PeeringSession): WireSession['messages'] {
  const shown: WireSession['messages'] = {}
  for (const [step, sealed] of entriesOf(messages))
    shown[step] = { sealed, postedAt: isoOf(postedAt[step] ?? 0) }
  return shown
}

function stepsOf({ postedAt }: PeeringSession): WireSession['steps'] {
  const shown: WireSession['steps'] = {}
  for (const [step, at] of entriesOf(postedAt)) shown[step] = isoOf(at)
  return shown
}

function entriesOf<T>(byStep: Readonly<Partial<Record<PeeringStep, T>>>): [PeeringStep, T][] {
  // `Object.entries` forgets that these are the steps themselves.
  return Object.entries(byStep) as [PeeringStep, T][]
}
