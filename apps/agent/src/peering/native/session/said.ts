import type { PeeringSession } from '@bourse/contract'
import { type Step, type StepName, waiting } from '../../port/peering.ts'
import type { Said } from './correspondence.ts'

/** What a step waits for, or why it cannot go on. */
export type Stop = Readonly<{
  stop: Step
  /** When to look again, even if nothing is heard until then. */
  againAfterMs?: number
}>

type Echoing = Readonly<{ body: Readonly<{ echo: string }> }>

/** The body of a message that answers our challenge; otherwise what to wait for. */
export function heardOr<S extends 'nonce' | 'tenant' | 'grant' | 'gateway' | 'tunnel'>(
  said: Said<S>,
  { type, challenge, awaited }: Readonly<{ type: StepName; challenge: string; awaited: Step }>,
): (Said<S> & { kind: 'genuine' }) | Stop {
  if (said.kind === 'nothing') return { stop: awaited }
  if (said.kind === 'refused') return { stop: waiting(type, said.reason, said.message) }
  // A genuine answer, but to an earlier question: the new one is on its way, or this is a replay.
  const { body } = said as Echoing
  return body.echo === challenge ? said : { stop: awaited }
}

/** Waits for the other side, in its own words where it has said what keeps it. */
export function awaitedOf(type: StepName, peer: string, session?: PeeringSession): Step {
  const trouble = session?.trouble?.[session.requesterID === peer ? 'requester' : 'provider']
  if (trouble) return waiting(type, trouble.reason, `${peer} says: ${trouble.message}`)
  return waiting(type, 'WaitingForPeer', `Waiting for the agent of ${peer} to answer`)
}

/** Passes by itself: nothing that the other side need know of. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'WaitingForPeer',
  'WaitingForLiqo',
  'NamespaceTerminating',
])

export function isWorthTelling({ reason }: Step, session: PeeringSession): boolean {
  const theirs = Object.values(session.trouble ?? {}).some((one) => one?.reason === reason)
  return !PASSING.has(reason) && !theirs
}
