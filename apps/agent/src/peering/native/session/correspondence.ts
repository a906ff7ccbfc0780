import { type BrokerPeerings, BrokerRefused } from '@bourse/client'
import type { PeeringSession, PeeringStep, PeeringTrouble } from '@bourse/contract'
import { printableLines } from '@bourse/contract/printable'
import type { Seals } from '../seal/index.ts'
import { type Bodies, bodyOf } from './bodies.ts'
import type { SessionBook } from './session-book.ts'

export type Said<S extends PeeringStep> =
  | Readonly<{ kind: 'nothing' }>
  | Readonly<{ kind: 'genuine'; body: Bodies[S] }>
  | Readonly<{ kind: 'refused'; reason: string; message: string }>

export type Correspondence = ReturnType<typeof createCorrespondence>

type Ports = Readonly<{
  broker: Omit<BrokerPeerings, 'watchPeerings'>
  seals: Seals
  sessions: Pick<SessionBook, 'note' | 'forget'>
  clusterId: string
}>

const OF_REQUESTER: ReadonlySet<PeeringStep> = new Set([
  'hello',
  'tenant',
  'tunnel',
  'ready',
  'goodbye',
])
/** As long as the broker keeps an open session without a word. */
const GOOD_FOR_MS = 3_600_000
/** A goodbye stands until the provider has gone by it. */
const GOODBYE_GOOD_FOR_MS = 7 * 24 * 3_600_000

/** Sealed messages by way of the broker: what it carries it cannot have made up. */
export function createCorrespondence({ broker, seals, sessions, clusterId }: Ports) {
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
