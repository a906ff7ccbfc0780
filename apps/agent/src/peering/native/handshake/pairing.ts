import type { BrokerPeerings } from '@bourse/client'
import { type Clock, createWorkQueue, isSameJson, type KubeClient } from '@bourse/kube'
import { createBrokerWatch } from '../../../broker/broker-watch.ts'
import type { NativePeeringConfig } from '../../../config/index.ts'
import type { Log } from '../../../runtime/log.ts'
import { waiting } from '../../port/peering.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { OwnLiqo } from '../liqo/own-liqo.ts'
import type { Seals } from '../seal/seals.ts'
import { createCorrespondence } from '../session/correspondence.ts'
import { createSessionBook, keyOf, type Pair, pairIn } from '../session/session-book.ts'
import { createNetworks } from '../tunnel/network.ts'
import { createWireGuard } from '../tunnel/wireguard.ts'
import { createFarewell } from './farewell.ts'
import { createHomes } from './homes.ts'
import { createIdleClock, createWanted, type PairState } from './pair-state.ts'
import type { Peers } from './peers.ts'
import { createProviderObjects } from './provider-objects.ts'
import { createProviderSide } from './provider-side.ts'
import { createProviderTurn } from './provider-turn.ts'
import { createRequesterObjects } from './requester-objects.ts'
import { createRequesterSide } from './requester-side.ts'
import { createRequesterTurn } from './requester-turn.ts'

export type Pairing = ReturnType<typeof createPairing>

export type PairingSettings = Pick<
  NativePeeringConfig,
  | 'liqoNamespace'
  | 'networking'
  | 'serviceType'
  | 'gatewayAddress'
  | 'apiServerUrl'
  | 'lingerMs'
  | 'graceMs'
> &
  Readonly<{
    /** Between the last of two clusters that part, and the end of what they were for each other. */
    quietMs?: number | undefined
  }>

type Ports = Readonly<{
  client: KubeClient
  broker: BrokerPeerings
  clusterId: string
  liqo: OwnLiqo
  objects: LiqoObjects
  seals: Seals
  peers: Peers
  settings: PairingSettings
  /** Whether something is reserved here for this requester. */
  isHeld(requester: string): boolean
  /** Nothing is borrowed from this cluster any more, and the peering ends. */
  sweep(liqoId: string): Promise<boolean>
  /** How far this pair is has changed. */
  onChange(pair: Pair): void
  log: Log
  clock: Clock
}>

/** Collisions with Liqo's own writes pass at once; a broker that is away takes longer. */
const BACKOFF = { baseMs: 20, capMs: 30_000 }
/** After a start no peering is ended before the instructions are read. */
const SETTLED_MS = 1_000
const UNKNOWN: PairState = {
  steps: [waiting('PeeringRequested', 'NotYet', 'The peering has not been checked yet')],
}

/** Peerings with other clusters: each by itself, one turn at a time, again until it stands. */
export function createPairing(ports: Ports) {
  const { clusterId, log, clock } = ports
  const states = new Map<string, PairState>()
  const wanted = createWanted((peer) => look({ role: 'requester', peer }))
  const beganAt = clock.monotonic()
  const isSettled = () => wanted.hasBegun() || clock.monotonic() - beganAt > SETTLED_MS
  /** Pairs that wait until all is known that decides about them. */
  const unseeing = new Set<string>()
  const sessions = createSessionBook({ clusterId, clock, onChange: look, onHeard: lookAgain })
  const turns = createTurns({ ...ports, sessions, isWanted: wanted.isWanted, isSettled })
  const queue = createWorkQueue({ work, onTrouble, backoff: BACKOFF, clock })
  const watch = createBrokerWatch({
    watch: (asked) => ports.broker.watchPeerings(asked),
    take: ({ peerings }) => sessions.take(peerings),
    onTrouble: (err, pauseMs) => log.warn({ pauseMs, err }, 'cannot watch peering sessions'),
    clock,
  })

  return {
    stateOf: (pair: Pair): PairState => states.get(keyOf(pair)) ?? UNKNOWN,
    ...wanted,
    /** Something about this pair changed here. */
    look,
    /** More is known than before, or about to be. */
    lookAgain,
    /**
     * Unless its steps are known, since each change is told. A pair that was looked at before a
     * reservation needed it has no steps.
     */
    lookOnce(pair: Pair): void {
      if (!states.get(keyOf(pair))?.steps.length) look(pair)
    },
    start: watch.start,
    async stop(): Promise<void> {
      await Promise.all([watch.stop(), queue.stop()])
    },
  }

  function look(pair: Pair): void {
    queue.add(keyOf(pair))
  }

  function lookAgain(): void {
    for (const key of unseeing) queue.add(key)
    unseeing.clear()
  }

  async function work(key: string) {
    const unseen = ports.objects.missing() ?? unheard()
    if (unseen !== undefined) {
      unseeing.add(key)
      show(key, ports.objects.isAbsent() ? NO_LIQO : unseenYet(unseen))
      return undefined
    }
    const { role, peer } = pairIn(key)
    const state = await turns[role](peer)
    show(key, state)
    return { againAfterMs: state.againAfterMs }
  }

  /** Without the pins every key would be a first one. */
  function unheard(): string | undefined {
    if (!ports.peers.isKnown()) return 'pinned keys of other clusters'
    return sessions.isHeard() ? undefined : 'peering sessions'
  }

  function show(key: string, state: PairState): void {
    const before = states.get(key)
    states.set(key, state)
    const isSame = isSameJson(before?.steps, state.steps) && isSameJson(before?.ready, state.ready)
    if (!isSame) ports.onChange(pairIn(key))
  }

  function onTrouble(err: Error, key: string, pauseMs: number): void {
    const { role, peer } = pairIn(key)
    log.warn({ role, peer, pauseMs, err }, 'peering failed and is retried')
    // What stands does not fall because a look at it failed.
    if (states.get(key)?.ready) return
    show(key, { steps: [waiting('PeeringRequested', 'TriedAgain', err.message)] })
  }
}

const NO_LIQO: PairState = {
  steps: [
    waiting('PeeringRequested', 'NoLiqo', 'This cluster has no Liqo: install version 1.1 or later'),
  ],
}

function unseenYet(what: string): PairState {
  const message = `The ${what} are not known yet. Is Liqo installed, and may the agent read them?`
  return { steps: [waiting('PeeringRequested', 'NotSeenYet', message)] }
}

type TurnPorts = Ports &
  Readonly<{
    sessions: ReturnType<typeof createSessionBook>
    isWanted(peer: string): boolean
    isSettled(): boolean
  }>

function createTurns(ports: TurnPorts) {
  const { objects, settings } = ports
  const letters = createCorrespondence(ports)
  const followed = objects.networks
  const wireguard =
    followed && createWireGuard({ ...ports, ...settings, letters, networks: followed })
  const networks = createNetworks(wireguard)
  const idle = createIdleClock(ports.clock)
  const own = createProviderObjects(ports)
  const homes = createHomes({ ...ports, ...settings, idle, isNeeded })
  const farewell = createFarewell({ ...ports, ...settings, own, letters, networks, homes })
  const shared = { ...ports, ...settings, letters, idle, farewell, networks, homes }
  return {
    requester: createRequesterTurn({
      ...shared,
      side: createRequesterSide({ ...shared, own: createRequesterObjects(ports) }),
    }),
    provider: createProviderTurn({ ...shared, side: createProviderSide({ ...shared, own }) }),
  } satisfies Record<Pair['role'], (peer: string) => Promise<PairState>>

  function isNeeded(peer: string): boolean {
    const roles = ['requester', 'provider'] as const
    const isTalking = roles.some((role) => ports.sessions.find({ role, peer })?.state === 'open')
    return isTalking || ports.isWanted(peer) || ports.isHeld(peer)
  }
}
