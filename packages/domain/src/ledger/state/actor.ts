import type { LedgerEvent } from './event.ts'

/** Who gives a command, and through which door it came. */
export type Actor = Readonly<{
  /** `object`: a Kubernetes object. `system`: the broker itself; its id says what made it act. */
  kind: 'cluster' | 'operator' | 'person' | 'object' | 'feeder' | 'system'
  id: string
  door: string
  /** In the actor's own words. */
  why?: string
}>

/** What an event says of the command behind it. */
export type Signature = Readonly<{
  /** `operator:ana@rest`, `system:expiry`. Absent: the cluster whose it is acted itself. */
  by?: string
  why?: string
}>

/** The short form. Only kind and door are free of `:` and `@`, so that it can be read back. */
export function actorText({ kind, id, door }: Actor): string {
  return kind === 'system' ? `${kind}:${id}` : `${kind}:${id}@${door}`
}

/** The words of a short form: `operator ana`. */
export function spokenActor(text: string): string {
  const [, kind, id] = /^(\w+):(.*?)(?:@[^@]*)?$/s.exec(text) ?? []
  return kind === undefined ? text : `${kind} ${id}`
}

/** The event with the name of its actor, which is left out where a cluster acts for itself. */
export function signed<Event extends LedgerEvent>(event: Event, actor: Actor): Event {
  const { why } = actor
  const by = actsForItself(event, actor) ? undefined : actorText(actor)
  return { ...event, ...(by !== undefined && { by }), ...(why !== undefined && { why }) }
}

function actsForItself(event: LedgerEvent, { kind, id }: Actor): boolean {
  return kind === 'cluster' && ownersOf(event).includes(id)
}

function ownersOf(event: LedgerEvent): readonly string[] {
  if ('reservation' in event) return [event.reservation.requester]
  if ('provider' in event) return [event.requester, event.provider]
  if ('requester' in event) return [event.requester]
  return 'clusterId' in event ? [event.clusterId] : []
}
