import type { PeeringSession } from '@bourse/contract'
import { waiting } from '../../port/peering.ts'
import { PEER_LABEL } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { Correspondence } from '../session/correspondence.ts'
import type { SessionBook } from '../session/session-book.ts'
import type { Networks } from '../tunnel/network.ts'
import type { Farewell } from './farewell.ts'
import { type IdleClock, LOOK_AGAIN_MS, NOTHING, type PairState } from './pair-state.ts'
import { type Peers, placeOf } from './peers.ts'
import { LENDING, type ProviderSide } from './provider-side.ts'

type Ports = Readonly<{
  side: ProviderSide
  farewell: Farewell
  sessions: Pick<SessionBook, 'find'>
  letters: Correspondence
  objects: LiqoObjects
  peers: Pick<Peers, 'of'>
  networks: Pick<Networks, 'for'>
  idle: IdleClock
  /** Whether something is reserved here for this requester. */
  isHeld(requester: string): boolean
  graceMs: number
}>

/** The instruction of a reservation may come after the hello that builds on it. */
const INSTRUCTION_MS = 5_000

/** What to do about a requester: nothing at all unless something is reserved for it. */
export function createProviderTurn(ports: Ports) {
  const { side, farewell, sessions, letters, objects, peers, idle } = ports

  return async function turn(peer: string): Promise<PairState> {
    const session = sessions.find({ role: 'provider', peer })
    if (session?.state === 'closing') return bidden(peer, session)
    if (!ports.isHeld(peer)) return unheld(peer, session)
    idle.busy(peer)
    if (!session)
      return {
        steps: [
          waiting('PeeringRequested', 'NotAskedYet', `${peer} has not asked for a peering yet`),
        ],
      }
    if (session.state === 'open') return side.advance(session)
    const network = ports.networks.for(session.networking)
    const place = placeOf(ports, peer)
    if (place && hasLiqoTenant(peer) && (await network.isThere(place)))
      return { steps: [...LENDING, ...network.standing(place)] }
    // Some objects were deleted: the requester restarts once it sees no session.
    await letters.close(session)
    return NOTHING
  }

  function hasLiqoTenant(peer: string): boolean {
    const liqoId = peers.of(peer)?.liqoID
    return liqoId !== undefined && objects.liqoTenant(liqoId) !== undefined
  }

  /** Also of a farewell that was cut short. */
  function hasTraces(peer: string): boolean {
    const place = placeOf(ports, peer)
    const nonce = place && objects.nonce(place.namespace)
    return hasLiqoTenant(peer) || nonce?.metadata.labels?.[PEER_LABEL] === peer
  }

  /** The requester has said goodbye: its slices are gone, or about to be. */
  async function bidden(peer: string, session: PeeringSession): Promise<PairState> {
    const said = await letters.read(session, 'goodbye')
    if (said.kind === 'refused') await letters.complain(session, said)
    if (said.kind !== 'genuine') return NOTHING
    return letGo(peer, session, idle.leftMs(peer, ports.graceMs) <= 0)
  }

  async function unheld(peer: string, session: PeeringSession | undefined): Promise<PairState> {
    if (!session && !hasTraces(peer)) return NOTHING
    const leftMs = idle.leftMs(peer, ports.graceMs)
    if (leftMs <= 0 && session?.state !== 'open') return letGo(peer, session, true)
    if (session?.state !== 'open') return { ...NOTHING, againAfterMs: leftMs }
    const isLate = leftMs < ports.graceMs - INSTRUCTION_MS
    const message = `Nothing is reserved here for ${peer}`
    if (isLate) await letters.complain(session, { reason: 'NoInstruction', message })
    return { ...NOTHING, againAfterMs: INSTRUCTION_MS }
  }

  async function letGo(peer: string, session: PeeringSession | undefined, isForced: boolean) {
    const isDone = await farewell.letGo(peer, session, isForced)
    return isDone ? NOTHING : { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
  }
}
