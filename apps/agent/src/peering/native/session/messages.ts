import { type BrokerPeerings, BrokerRefused } from '@bourse/client'
import type { PeeringSession, PeeringStep, PeeringTrouble } from '@bourse/contract'
import { printableLines } from '@bourse/contract/printable'
import { type Step, type StepName, waiting } from '../../port/peering.ts'
import type { Seals } from '../seal/seals.ts'
import { type Bodies, bodyOf } from './bodies.ts'
import type { Sessions } from './sessions.ts'

export type Said<S extends PeeringStep> =
  | Readonly<{ kind: 'nothing' }>
  | Readonly<{ kind: 'genuine'; body: Bodies[S] }>
  | Readonly<{ kind: 'refused'; reason: string; message: string }>

export type Messages = ReturnType<typeof createMessages>

type Ports = Readonly<{
  broker: Omit<BrokerPeerings, 'watchPeerings'>
  seals: Seals
  sessions: Pick<Sessions, 'note' | 'forget'>
  clusterId: string
}>

const OF_REQUESTER: ReadonlySet<PeeringStep> = new Set([
  'hello',
  'tenant',
  'tunnel',
  'ready',
  'goodbye',
])
/** As long as the broker keeps an open session without messages. */
const GOOD_FOR_MS = 3_600_000
/** A goodbye stays valid until the provider has acted on it. */
const GOODBYE_GOOD_FOR_MS = 7 * 24 * 3_600_000

/** Sealed messages by way of the broker: what it carries it cannot have made up. */
export function createMessages({ broker, seals, sessions, clusterId }: Ports) {
  return {
    async read<S extends PeeringStep>(session: PeeringSession, step: S): Promise<Said<S>> {
      const sealed = session.messages[step]?.sealed
      if (sealed === undefined) return { kind: 'nothing' }
      const opened = await seals.open(sealed, {
        session: session.id,
        step,
        ...endsOf(session, step),
      })
      if (opened.kind === 'refused') return opened
      const body = bodyOf(step, opened.body)
      if (body) return { kind: 'genuine', body }
      return {
        kind: 'refused',
        reason: 'Malformed',
        message: `The ${step} lacks a required field.`,
      }
    },
    async open(
      opened: Pick<PeeringSession, 'id' | 'providerID' | 'networking'>,
      body: Bodies['hello'],
    ): Promise<PeeringSession> {
      const { id, providerID, networking } = opened
      const message = { session: id, step: 'hello', from: clusterId, to: providerID, body }
      const hello = await seals.seal({ ...message, expiresInMs: GOOD_FOR_MS })
      const session = await broker.openPeering({ id, providerID, networking, hello })
      sessions.note(session)
      return session
    },
    async post<S extends PeeringStep>(session: PeeringSession, step: S, body: Bodies[S]) {
      const expiresInMs = step === 'goodbye' ? GOODBYE_GOOD_FOR_MS : GOOD_FOR_MS
      const message = { session: session.id, step, ...endsOf(session, step), body }
      const sealed = await seals.seal({ ...message, expiresInMs })
      return noted(session, broker.postPeering(session.id, { step, sealed }))
    },
    /** Shows the other side, and users of the broker, why nothing happens. */
    async complain(session: PeeringSession, trouble: PeeringTrouble): Promise<void> {
      const role = session.requesterID === clusterId ? 'requester' : 'provider'
      const { reason } = trouble
      // It may quote an API server or a proxy, and the broker takes no control characters.
      const message = printableLines(trouble.message)
      const told = session.trouble?.[role]
      if (told?.reason === reason && told.message === message) return
      await noted(session, broker.reportPeeringTrouble(session.id, { reason, message }))
    },
    async close(session: PeeringSession): Promise<void> {
      await broker.closePeering(session.id)
      sessions.forget(session)
    },
  }

  async function noted(session: PeeringSession, answer: Promise<PeeringSession>) {
    const next = await answer.catch((thrown) => {
      // Closed, replaced or expired: what we last knew of it counts no more.
      if (thrown instanceof BrokerRefused && thrown.code === 'PeeringNotFound')
        sessions.forget(session)
      throw thrown
    })
    sessions.note(next)
    return next
  }
}

function endsOf({ requesterID, providerID }: PeeringSession, step: PeeringStep) {
  return OF_REQUESTER.has(step)
    ? { from: requesterID, to: providerID }
    : { from: providerID, to: requesterID }
}

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
