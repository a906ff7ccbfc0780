import { drained, end } from './grants.ts'
import { close } from './peerings.ts'
import { type Grant, isLive, type World } from './world.ts'

type Deadline = Readonly<{ at: number; reason: string }>

/** Runs what is due. `reasons`: the ledger's, by id, which decide where two ends fall together. */
export function runDue(world: World, reasons: ReadonlyMap<string, string>): void {
  const { now, settings, clusters, holding, heard, sessions } = world
  for (const supply of clusters.values()) {
    if (supply.isStale || supply.heardAt + settings.staleAfterMs > now) continue
    supply.isStale = true
    world.effects.push(`staled ${supply.clusterId}`)
  }
  for (const grant of holding)
    if (grant.isDraining && grant.endedAt + settings.drainTimeoutMs <= now) drained(world, grant)
  for (const grant of [...holding].filter(isLive)) {
    const due = endsOf(world, grant).filter(({ at }) => at <= now)
    const first = Math.min(...due.map(({ at }) => at))
    const causes = due.filter(({ at }) => at === first).map(({ reason }) => reason)
    const told = reasons.get(grant.id) ?? ''
    const reason = causes.includes(told) ? told : causes[0]
    if (reason !== undefined) end(world, grant, reason)
  }
  for (const [requester, at] of heard)
    if (at + settings.reclaimAfterMs <= now) heard.delete(requester)
  for (const session of [...sessions.values()])
    if (session.expiresAt !== undefined && session.expiresAt <= now)
      close(world, session, 'Expired')
}

/** All that would end a live reservation. */
function endsOf({ clusters, heard, settings }: World, grant: Grant): Deadline[] {
  const ends: Deadline[] = []
  const { expiresAt, clusterId, requester, createdAt } = grant
  if (expiresAt !== undefined) ends.push({ at: expiresAt, reason: 'Expired' })
  const withdrawnAt = clusters.get(clusterId)?.withdrawnAt
  if (withdrawnAt !== undefined) ends.push({ at: withdrawnAt, reason: 'Withdrawn' })
  const heardAt = heard.get(requester)
  if (expiresAt !== undefined || heardAt === undefined) return ends
  const goneAt = heardAt + settings.reclaimAfterMs
  // One that was made for it when it had long been silent waits until it is heard again.
  if (createdAt < goneAt) ends.push({ at: goneAt, reason: 'RequesterGone' })
  return ends
}

/** When something is due next. */
export function nextDue(world: World): number {
  const { clusters, holding, sessions, settings } = world
  const moments: number[] = []
  for (const { isStale, heardAt } of clusters.values())
    if (!isStale) moments.push(heardAt + settings.staleAfterMs)
  for (const grant of holding) {
    if (grant.isDraining) moments.push(grant.endedAt + settings.drainTimeoutMs)
    else moments.push(...endsOf(world, grant).map(({ at }) => at))
  }
  for (const { expiresAt } of sessions.values())
    if (expiresAt !== undefined) moments.push(expiresAt)
  return Math.min(...moments)
}
