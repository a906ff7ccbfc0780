import type { PeeringSession } from '@bourse/contract'
import type { ObjectMeta } from '@bourse/kube'
import { waiting } from '../../port/peering.ts'
import { LABEL } from '../liqo/liqo-kinds.ts'
import { createMessages } from '../session/messages.ts'
import type { Pair, Sessions } from '../session/sessions.ts'
import { createNetworks } from '../tunnel/network.ts'
import { createWireGuard } from '../tunnel/wireguard.ts'
import { createIdleClock, LOOK_AGAIN_MS, NOTHING, type PairState } from './pair-state.ts'
import type { PairingPorts } from './pairing.ts'
import { placeOf } from './peers.ts'
import { createProviderObjects } from './provider-objects.ts'
import { createProviderSide, LENDING } from './provider-side.ts'
import { createRequesterObjects } from './requester-objects.ts'
import { createRequesterSide } from './requester-side.ts'
import { createUnpeering } from './unpeering.ts'

type Ports = PairingPorts &
  Readonly<{
    sessions: Sessions
    isWanted(provider: string): boolean
    /** Whether instructions had the time to say what they need. */
    isSettled(): boolean
  }>

/** The instruction of a reservation may come after the hello that builds on it. */
const INSTRUCTION_MS = 5_000

/** What to do about another cluster, by what this one is to it. */
export function createTurns(ports: Ports) {
  const { objects, settings, sessions, peers } = ports
  const { graceMs, lingerMs } = settings
  const messages = createMessages(ports)
  const followed = objects.networks
  const wireguard =
    followed && createWireGuard({ ...ports, ...settings, messages, networks: followed })
  const networks = createNetworks(wireguard)
  const idle = createIdleClock(ports.clock)
  const own = createProviderObjects(ports)
  const shared = { ...ports, ...settings, messages, networks, idle, isNeeded }
  const unpeering = createUnpeering({ ...shared, own })
  const requesterSide = createRequesterSide({ ...shared, own: createRequesterObjects(ports) })
  const providerSide = createProviderSide({ ...shared, own })

  return { requester, provider } satisfies Record<Pair['role'], Turn>

  /** About a provider: peer while a reservation needs it, and leave some time after. */
  async function requester(peer: string): Promise<PairState> {
    const key = `requester/${peer}`
    const session = sessions.find({ role: 'requester', peer })
    const isOf = ({ metadata }: Readonly<{ metadata: ObjectMeta }>) =>
      metadata.labels?.[LABEL.peer] === peer
    if (ports.isWanted(peer)) {
      idle.busy(key)
      return requesterSide.advance(peer)
    }
    // Slices go first, each by its own reservation.
    if (objects.slices().some(isOf)) return NOTHING
    const left = [...objects.identities(), ...objects.signedNonces()]
    if (!session && !left.some(isOf) && !unpeering.isNamespaceLeft(peer)) return NOTHING
    if (!ports.isSettled()) return { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
    const leftMs = session?.state === 'closing' ? 0 : idle.leftMs(key, lingerMs)
    if (leftMs > 0) return { ...NOTHING, againAfterMs: leftMs }
    return nothingOnce(await unpeering.leave(peer, session))
  }

  /** About a requester: nothing at all unless something is reserved for it. */
  async function provider(peer: string): Promise<PairState> {
    const session = sessions.find({ role: 'provider', peer })
    if (session?.state === 'closing') return afterGoodbye(peer, session)
    if (!ports.isHeld(peer)) return unheld(peer, session)
    idle.busy(peer)
    if (!session) {
      const message = `${peer} has not asked for a peering yet`
      return { steps: [waiting('PeeringRequested', 'NotAskedYet', message)] }
    }
    if (session.state === 'open') return providerSide.advance(session)
    const network = networks.for(session.networking)
    const place = placeOf(ports, peer)
    if (place && hasLiqoTenant(peer) && (await network.isThere(place)))
      return { steps: [...LENDING, ...network.standing(place)] }
    // Some objects were deleted: the requester restarts once it sees no session.
    await messages.close(session)
    return NOTHING
  }

  /** The requester's slices are gone, or about to be. */
  async function afterGoodbye(peer: string, session: PeeringSession): Promise<PairState> {
    const said = await messages.read(session, 'goodbye')
    if (said.kind === 'refused') await messages.complain(session, said)
    if (said.kind !== 'genuine') return NOTHING
    const isForced = idle.leftMs(peer, graceMs) <= 0
    return nothingOnce(await unpeering.letGo(peer, session, isForced))
  }

  async function unheld(peer: string, session: PeeringSession | undefined): Promise<PairState> {
    if (!session && !hasTraces(peer)) return NOTHING
    const leftMs = idle.leftMs(peer, graceMs)
    if (session?.state !== 'open') {
      if (leftMs > 0) return { ...NOTHING, againAfterMs: leftMs }
      return nothingOnce(await unpeering.letGo(peer, session, true))
    }
    const isLate = leftMs < graceMs - INSTRUCTION_MS
    const message = `Nothing is reserved here for ${peer}`
    if (isLate) await messages.complain(session, { reason: 'NoInstruction', message })
    return { ...NOTHING, againAfterMs: INSTRUCTION_MS }
  }

  function hasLiqoTenant(peer: string): boolean {
    const liqoId = peers.of(peer)?.liqoID
    return liqoId !== undefined && objects.liqoTenant(liqoId) !== undefined
  }

  /** Also of an un-peering that was cut short. */
  function hasTraces(peer: string): boolean {
    const place = placeOf(ports, peer)
    const nonce = place && objects.nonce(place.namespace)
    return hasLiqoTenant(peer) || nonce?.metadata.labels?.[LABEL.peer] === peer
  }

  function isNeeded(peer: string): boolean {
    const roles = ['requester', 'provider'] as const
    const isTalking = roles.some((role) => sessions.find({ role, peer })?.state === 'open')
    return isTalking || ports.isWanted(peer) || ports.isHeld(peer)
  }
}

type Turn = (peer: string) => Promise<PairState>

function nothingOnce(isDone: boolean): PairState {
  return isDone ? NOTHING : { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
}
