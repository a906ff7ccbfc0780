import type { PeeringRole, PeeringSession, PeeringStep } from '@bourse/contract'
import { PEERING_STEPS_OF } from '@bourse/contract/peering-steps'
import type { Colour, Paint } from '../terminal/colours.ts'
import type { View } from '../terminal/output.ts'
import { relativeTime } from '../terminal/relative-time.ts'
import { type Column, renderTable } from '../terminal/table.ts'

const STATE_COLOURS: Readonly<Record<PeeringSession['state'], Colour>> = {
  open: 'cyan',
  established: 'green',
  closing: 'yellow',
}
const HANDSHAKE: readonly PeeringStep[] = ['hello', 'nonce', 'tenant', 'grant']
const TUNNEL: readonly PeeringStep[] = ['gateway', 'tunnel']

export function peeringsView(sessions: readonly PeeringSession[]): View {
  return ({ paint, isWide, now }) => {
    if (sessions.length === 0) return 'No peering sessions.'
    const columns: Column<PeeringSession>[] = [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'REQUESTER', cell: ({ requesterID }) => requesterID },
      { title: 'PROVIDER', cell: ({ providerID }) => providerID },
      { title: 'STATE', cell: ({ state }) => paint(state, STATE_COLOURS[state]) },
      { title: 'WAITS FOR', cell: waitsFor },
      {
        title: 'STUCK ON',
        cell: (one) =>
          stuckOn(one)
            .map(({ reason }) => reason)
            .join(', '),
      },
      { title: 'OPENED', cell: ({ openedAt }) => relativeTime(openedAt, now) },
      { title: 'ENDS', cell: ({ expiresAt }) => relativeTime(expiresAt, now) },
      ...(isWide ? [{ title: 'NETWORKING', cell: (one: PeeringSession) => one.networking }] : []),
    ]
    return renderTable(columns, sessions, paint)
  }
}

/** The steps so far, and what the two agents wait for. */
export function peeringView(session: PeeringSession): View {
  return ({ paint, now }) => {
    const { id, requesterID, providerID, state, openedAt, expiresAt, networking } = session
    const pair = `${requesterID} → ${paint(providerID, 'bold')}`
    const ends = expiresAt ? `, ends ${relativeTime(expiresAt, now)} unless a message comes` : ''
    const network = networking === 'none' ? 'no networking' : networking
    const head = [
      `Peering ${pair}: ${paint(state, STATE_COLOURS[state])} (${id}, ${network})`,
      `Opened ${relativeTime(openedAt, now)}${ends}.`,
      ...stuckOn(session).map(({ who, reason, message }) =>
        paint(`${who} is stuck: ${reason}: ${message}`, 'red'),
      ),
    ].join('\n')
    return `${head}\n\n${stepsTable(session, paint, now)}`
  }
}

type Line = Readonly<{ step: PeeringStep; by: string; at: string | undefined; isNext: boolean }>

function stepsTable(session: PeeringSession, paint: Paint, now: number): string {
  const next = nextStep(session)
  const lines = shownSteps(session).map(
    (step): Line => ({
      step,
      by: nameOf(session, roleOf(step)),
      at: session.steps[step],
      isNext: step === next,
    }),
  )
  const columns: Column<Line>[] = [
    { title: 'STEP', cell: ({ step }) => step },
    { title: 'BY', cell: ({ by }) => by },
    { title: 'POSTED', cell: ({ at, isNext }) => postedAt(at, isNext, now) },
  ]
  return renderTable(columns, lines, paint)
}

function postedAt(at: string | undefined, isNext: boolean, now: number): string {
  if (at) return `${relativeTime(at, now)} (${at})`
  return isNext ? 'awaited' : ''
}

/** The steps to `ready`, and `goodbye` once it was posted. */
function shownSteps({ networking, steps }: PeeringSession): readonly PeeringStep[] {
  const way: PeeringStep[] = [...HANDSHAKE, ...(networking === 'none' ? [] : TUNNEL), 'ready']
  return steps.goodbye ? [...way, 'goodbye'] : way
}

function nextStep(session: PeeringSession): PeeringStep | undefined {
  if (session.state !== 'open') return undefined
  return shownSteps(session).find((step) => session.steps[step] === undefined)
}

function waitsFor(session: PeeringSession): string {
  if (session.state === 'closing') return `${session.providerID}: to remove its side`
  const next = nextStep(session)
  return next ? `${nameOf(session, roleOf(next))}: ${next}` : ''
}

function roleOf(step: PeeringStep): PeeringRole {
  return PEERING_STEPS_OF.provider.includes(step) ? 'provider' : 'requester'
}

function nameOf({ requesterID, providerID }: PeeringSession, role: PeeringRole): string {
  return role === 'requester' ? requesterID : providerID
}

function stuckOn(session: PeeringSession) {
  const roles = ['requester', 'provider'] as const
  return roles.flatMap((role) => {
    const trouble = session.trouble?.[role]
    return trouble ? [{ who: nameOf(session, role), ...trouble }] : []
  })
}
