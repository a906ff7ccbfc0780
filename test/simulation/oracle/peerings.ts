import { type CommandOf, type Grant, isLive, type Session, type World } from './world.ts'

const HOUR_MS = 3_600_000
const SAID_BY: Readonly<Record<string, readonly string[]>> = {
  requester: ['hello', 'tenant', 'tunnel', 'ready', 'goodbye'],
  provider: ['nonce', 'grant', 'gateway'],
}

const borrows = (world: World, requester: string, provider: string) =>
  [...world.holding].some(
    (one) => isLive(one) && one.requester === requester && one.clusterId === provider,
  )

const roleOf = ({ requester, provider }: Session, clusterId: string) =>
  requester === clusterId ? 'requester' : provider === clusterId ? 'provider' : undefined

export function openPeering(world: World, command: CommandOf<'openPeering'>): string {
  const { id, requester, provider, networking, hello } = command
  const { sessions, now, settings } = world
  const known = sessions.get(id)
  if (known && (known.requester !== requester || known.provider !== provider))
    return 'peeringIdTaken'
  if (known?.networking === networking && known.messages.hello === hello)
    return `peering ${known.state}, unchanged`
  if (!borrows(world, requester, provider)) return 'noReservation'
  const mine = [...sessions.values()].filter((one) => one.requester === requester)
  const earlier = mine.find((one) => one.provider === provider)
  if (!earlier && mine.length >= settings.peeringsMax) return `tooManyPeerings ${mine.length}`
  if (earlier) close(world, earlier, 'Replaced')
  sessions.set(id, {
    ...{ id, requester, provider, networking, state: 'open' },
    messages: { hello },
    postedAt: { hello: now },
    trouble: {},
    openedAt: now,
    expiresAt: now + HOUR_MS,
  })
  world.effects.push(`peeringOpened ${id}`)
  return 'peering open'
}

export function postPeering(world: World, command: CommandOf<'postPeering'>): string {
  const { id, from, step, sealed } = command
  const session = world.sessions.get(id)
  const role = session && roleOf(session, from)
  if (!session || !role) return 'missing'
  if (!SAID_BY[role]?.includes(step)) return `notYourStep ${role}`
  const isTooLate = session.state !== 'open' && step !== 'goodbye'
  if (isTooLate || session.messages[step] === sealed) return `peering ${session.state}, unchanged`
  if (step === 'goodbye') session.state = 'closing'
  if (step === 'ready') session.state = 'established'
  session.messages[step] = sealed
  session.postedAt[step] = world.now
  delete session.trouble[role]
  if (session.state !== 'open')
    for (const said of Object.keys(session.messages))
      if (!['hello', 'nonce', 'ready', 'goodbye'].includes(said)) delete session.messages[said]
  session.expiresAt = endOf(world, session)
  world.effects.push(`peeringPosted ${id} ${step}`)
  return `peering ${session.state}`
}

/** After an hour of silence, or a day after the pair's last reservation. */
function endOf(world: World, { state, requester, provider }: Session): number | undefined {
  if (state === 'open') return world.now + HOUR_MS
  return borrows(world, requester, provider) ? undefined : world.now + 24 * HOUR_MS
}

export function reportTrouble(world: World, command: CommandOf<'reportPeeringTrouble'>): string {
  const { id, from, trouble } = command
  const session = world.sessions.get(id)
  const role = session && roleOf(session, from)
  if (!session || !role) return 'missing'
  if (JSON.stringify(session.trouble[role]) === JSON.stringify(trouble))
    return `peering ${session.state}, unchanged`
  session.trouble[role] = trouble
  world.effects.push(`peeringTroubled ${id} ${role}`)
  return `peering ${session.state}`
}

export function closePeering(world: World, { id, from }: CommandOf<'closePeering'>): string {
  const session = world.sessions.get(id)
  if (!session || (from !== undefined && !roleOf(session, from))) return 'missing'
  close(world, session, 'Closed')
  return `peering ${session.state}`
}

export function close({ sessions, effects }: World, { id }: Session, reason: string): void {
  sessions.delete(id)
  effects.push(`peeringClosed ${id} as ${reason}`)
}

export const onBegin = (world: World, grant: Grant) => watch(world, grant)
export const onEnd = (world: World, grant: Grant) => watch(world, grant)

function watch(world: World, { requester, clusterId }: Grant): void {
  for (const session of world.sessions.values()) {
    const isOfPair = session.requester === requester && session.provider === clusterId
    if (isOfPair && session.state !== 'open') session.expiresAt = endOf(world, session)
  }
}
