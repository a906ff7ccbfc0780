import type { BrokerPeerings } from '@bourse/client'
import { type Clock, createWorkQueue, isSameJson, type KubeClient } from '@bourse/kube'
import { createBrokerWatch } from '../../../broker/broker-watch.ts'
import type { NativePeeringConfig } from '../../../config/index.ts'
import type { Log } from '../../../runtime/log.ts'
import { waiting } from '../../port/peering.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { OwnLiqo } from '../liqo/own-liqo.ts'
import type { Seals } from '../seal/seals.ts'
import { createSessions, keyOf, type Pair, pairIn } from '../session/sessions.ts'
import { createWanted, type PairState } from './pair-state.ts'
import type { Peers } from './peers.ts'
import { createTurns } from './turns.ts'

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

export type PairingPorts = Readonly<{
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
export function createPairing(ports: PairingPorts) {
  const { clusterId, log, clock } = ports
  const states = new Map<string, PairState>()
  const wanted = createWanted((peer) => look({ role: 'requester', peer }))
  const beganAt = clock.monotonic()
  const isSettled = () => wanted.hasBegun() || clock.monotonic() - beganAt > SETTLED_MS
  /** Pairs that wait until all is known that decides about them. */
  const unseeing = new Set<string>()
  const sessions = createSessions({ clusterId, clock, onChange: look, onHeard: lookAgain })
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
