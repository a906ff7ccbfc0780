import type { ConnectionLimits } from './limits.ts'

/** `asked`: a request has arrived, and no byte of its answer has been sent. */
export type Activity = 'idle' | 'asked' | 'answering'
export type Open = Readonly<{ caller: string; activity(): Activity }>
export type Refusal = 'full' | 'caller'
type Ports<C> = Readonly<{
  limits: ConnectionLimits
  drop(connection: C, reason: 'room' | 'caller'): void
}>

/** Connections after their handshake. A caller with few of them has priority over one with many. */
export function createOpenConnections<C extends Open>({ limits, drop }: Ports<C>) {
  const callers = new Map<string, Set<C>>()
  const givingWay: readonly Activity[] = limits.newcomersFirst
    ? ['idle', 'asked', 'answering']
    : ['idle', 'asked']
  let count = 0

  return { enter, leave, all, count: () => count }

  /** Undefined if it was admitted, otherwise why not. */
  function enter(connection: C): Refusal | undefined {
    const own = callers.get(connection.caller)
    const held = own?.size ?? 0
    if (own && held >= limits.openPerCallerMax && !makeRoom([own], 'caller')) return 'caller'
    if (count >= limits.openMax && !makeRoom(displaceable(own, held), 'room')) return 'full'
    const members = callers.get(connection.caller) ?? new Set()
    callers.set(connection.caller, members.add(connection))
    count += 1
    return undefined
  }

  /** Safe to call twice. */
  function leave(connection: C): void {
    const own = callers.get(connection.caller)
    if (!own?.delete(connection)) return
    count -= 1
    if (own.size === 0) callers.delete(connection.caller)
  }

  function* all(): Generator<C> {
    for (const members of callers.values()) yield* members
  }

  /** The callers with the most connections come first. */
  function displaceable(own: Set<C> | undefined, held: number): Set<C>[] {
    const found: Set<C>[] = []
    for (const members of callers.values())
      if (limits.newcomersFirst || members === own || members.size > held + 1) found.push(members)
    return found.sort((left, right) => right.size - left.size)
  }

  /**
   * Idle connections go first: dropping one costs its caller only a handshake. With
   * `newcomersFirst`, a client cannot keep others out by not reading its answer.
   */
  function makeRoom(from: readonly Set<C>[], reason: 'room' | 'caller'): boolean {
    for (const wanted of givingWay)
      for (const members of from)
        for (const connection of members) {
          if (connection.activity() !== wanted) continue
          leave(connection)
          drop(connection, reason)
          return true
        }
    return false
  }
}
