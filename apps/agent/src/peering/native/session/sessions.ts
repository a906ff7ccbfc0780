import type { PeeringRole, PeeringSession } from '@bourse/contract'
import { type Clock, isSameJson } from '@bourse/kube'

/** The other cluster of a session, and what this one is in it. */
export type Pair = Readonly<{ role: PeeringRole; peer: string }>

export type Sessions = ReturnType<typeof createSessions>

type Ports = Readonly<{
  clusterId: string
  clock: Pick<Clock, 'monotonic'>
  onChange(pair: Pair): void
  /** The broker has told of sessions for the first time. */
  onHeard?(): void
}>

/** How long the broker's watch may lag behind our own writes. */
const OWN_WORD_MS = 5_000

/** The sessions of this cluster: as the broker last told them, or as a later write of ours. */
export function createSessions({ clusterId, clock, onChange, onHeard }: Ports) {
  let told = new Map<string, PeeringSession>()
  const own = new Map<string, Readonly<{ session: PeeringSession; at: number }>>()
  let isHeard = false

  return {
    /** Whether a session that is not here does not exist. */
    isHeard: (): boolean => isHeard,
    find: (pair: Pair): PeeringSession | undefined => current(keyOf(pair)),
    take(sessions: readonly PeeringSession[]): void {
      const before = told
      const isFirst = !isHeard
      told = new Map(sessions.map((one) => [keyOf(pairOf(one)), one]))
      isHeard = true
      for (const key of own.keys()) if (isOutdated(key)) own.delete(key)
      for (const key of new Set([...before.keys(), ...told.keys()]))
        if (isFirst || !isSameJson(before.get(key), told.get(key))) onChange(pairIn(key))
      if (isFirst) onHeard?.()
    },
    /** The answer to what we said ourselves. */
    note(session: PeeringSession): void {
      own.set(keyOf(pairOf(session)), { session, at: clock.monotonic() })
      onChange(pairOf(session))
    },
    /** This very one is gone; the pair may have another meanwhile, which stays. */
    forget(session: PeeringSession): void {
      const key = keyOf(pairOf(session))
      if (own.get(key)?.session.id === session.id) own.delete(key)
      if (told.get(key)?.id === session.id) told.delete(key)
      onChange(pairOf(session))
    },
  }

  function current(key: string): PeeringSession | undefined {
    return isOutdated(key) ? told.get(key) : own.get(key)?.session
  }

  /** The broker has told as much, or long enough to have done so. */
  function isOutdated(key: string): boolean {
    const said = own.get(key)
    if (!said || clock.monotonic() - said.at > OWN_WORD_MS) return true
    const heard = told.get(key)
    if (!heard) return false
    if (heard.id !== said.session.id) return heard.openedAt > said.session.openedAt
    return knows(heard, said.session)
  }

  function pairOf({ requesterID, providerID }: PeeringSession): Pair {
    return requesterID === clusterId
      ? { role: 'requester', peer: providerID }
      : { role: 'provider', peer: requesterID }
  }
}

function knows(heard: PeeringSession, said: PeeringSession): boolean {
  if (heard.state !== said.state) return STATES.indexOf(heard.state) > STATES.indexOf(said.state)
  return Object.entries(said.messages).every(
    ([step, message]) =>
      (heard.messages[step as keyof typeof heard.messages]?.postedAt ?? '') >= message.postedAt,
  )
}
const STATES: readonly PeeringSession['state'][] = ['open', 'established', 'closing']

export function keyOf({ role, peer }: Pair): string {
  return `${role}/${peer}`
}

export function pairIn(key: string): Pair {
  const slash = key.indexOf('/')
  return {
    role: key.slice(0, slash) === 'requester' ? 'requester' : 'provider',
    peer: key.slice(slash + 1),
  }
}
