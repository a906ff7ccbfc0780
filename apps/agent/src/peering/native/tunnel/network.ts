import type { PeeringNetworking, PeeringSession } from '@bourse/contract'
import { type Step, waiting } from '../../port/peering.ts'
import type { Subnets } from '../liqo/subnets.ts'
import type { Stop } from '../session/messages.ts'
import type { Pair, Sessions } from '../session/sessions.ts'

type Place = Readonly<{ liqoId: string; namespace: string }>

export type NetworkEnd = Place &
  Readonly<{
    peer: string
    /** What the other side repeats to us, and what we repeat to it. */
    challenge: string
    echo: string
    /** What the requester has said to be behind its end; the provider says it with its offer. */
    behind?: Subnets | undefined
    /** Whether this session builds the tunnel: two clusters share one. */
    isBuilder: boolean
  }>

/** The tunnel between two clusters, where there is one: undefined when it stands. */
export type Network = Readonly<{
  /** What is behind this cluster's end; undefined where Liqo does not know, or has no networking. */
  subnets(): Promise<Subnets | undefined>
  /** The requester's end. */
  join(session: PeeringSession, end: NetworkEnd): Promise<Stop | undefined>
  /** The provider's end. */
  offer(session: PeeringSession, end: NetworkEnd): Promise<Stop | undefined>
  /** How a tunnel that was built does now. */
  standing(place: Place): readonly Step[]
  /** Whether this cluster's end is there: a user may have deleted it. */
  isThere(place: Place): Promise<boolean>
  /** Takes this cluster's end away; true when nothing of it is left. */
  leave(namespace: string): Promise<boolean>
}>

/** Pods of two clusters do not reach each other; that is all right for many. */
const noNetwork: Network = {
  subnets: async () => undefined,
  join: async () => undefined,
  offer: async () => undefined,
  standing: () => [],
  isThere: async () => true,
  leave: async () => true,
}

/** By the networking of a session; what this cluster does not have is refused with a message. */
export type Networks = Readonly<{ for(networking: PeeringNetworking): Network }> &
  Pick<Network, 'leave'>

/** The requester says in its session whether there is to be a tunnel; a provider may have none. */
export function createNetworks(wireguard: Network | undefined): Networks {
  const unwilling = { ...noNetwork, offer: async () => NETWORKING_OFF }
  return {
    for: (networking) => (networking === 'none' ? noNetwork : (wireguard ?? unwilling)),
    leave: (wireguard ?? noNetwork).leave,
  }
}

const NETWORKING_OFF: Stop = {
  stop: waiting(
    'NetworkReady',
    'NetworkingOff',
    'The provider has --peering-networking=none, and the requester asks for wireguard',
  ),
}

/**
 * Two clusters that borrow from each other have a session in each direction, and one tunnel. The
 * older of two open sessions builds it, as both sides see them in the same order; the other one
 * waits for it.
 */
export function isBuilder(
  session: PeeringSession,
  sessions: Pick<Sessions, 'find'>,
  { role, peer }: Pair,
): boolean {
  const other = sessions.find({ role: role === 'provider' ? 'requester' : 'provider', peer })
  if (other?.state !== 'open' || other.networking === 'none') return true
  const age = ({ openedAt, id }: PeeringSession) => `${openedAt} ${id}`
  return age(session) < age(other)
}
