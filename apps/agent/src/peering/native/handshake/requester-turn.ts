import type { ObjectMeta } from '@bourse/kube'
import { PEER_LABEL } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { SessionBook } from '../session/session-book.ts'
import type { Farewell } from './farewell.ts'
import type { Homes } from './homes.ts'
import { type IdleClock, LOOK_AGAIN_MS, NOTHING, type PairState } from './pair-state.ts'
import type { RequesterSide } from './requester-side.ts'

type Ports = Readonly<{
  side: RequesterSide
  farewell: Farewell
  homes: Pick<Homes, 'isVacant'>
  sessions: Pick<SessionBook, 'find'>
  objects: LiqoObjects
  idle: IdleClock
  isWanted(provider: string): boolean
  /** Whether instructions had the time to say what they need. */
  isSettled(): boolean
  lingerMs: number
}>

/** What to do about a provider: peer while a reservation needs it, and leave some time after. */
export function createRequesterTurn(ports: Ports) {
  const { side, farewell, homes, sessions, objects, idle } = ports

  return async function turn(peer: string): Promise<PairState> {
    const key = `requester/${peer}`
    const session = sessions.find({ role: 'requester', peer })
    const isOf = ({ metadata }: Readonly<{ metadata: ObjectMeta }>) =>
      metadata.labels?.[PEER_LABEL] === peer
    if (ports.isWanted(peer)) {
      idle.busy(key)
      return side.advance(peer)
    }
    // Slices go first, each by its own reservation.
    if (objects.slices().some(isOf)) return NOTHING
    const left = [...objects.identities(), ...objects.signedNonces()]
    if (!session && !left.some(isOf) && !homes.isVacant(peer)) return NOTHING
    if (!ports.isSettled()) return { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
    const leftMs = session?.state === 'closing' ? 0 : idle.leftMs(key, ports.lingerMs)
    if (leftMs > 0) return { ...NOTHING, againAfterMs: leftMs }
    const isDone = await farewell.leave(peer, session)
    return isDone ? NOTHING : { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
  }
}
