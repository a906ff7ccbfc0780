import type { BrokerPeerings } from '@bourse/client'
import { given } from '@bourse/daemon/given'
import { createSignal } from '@bourse/daemon/signal'
import { type Clock, type KubeClient, systemClock } from '@bourse/kube'
import type { ToleratedTaint } from '../../capacity/index.ts'
import type { NativePeeringConfig } from '../../config/index.ts'
import type { ObjectEvents } from '../../kubernetes/events.ts'
import { CONFIG_MAP } from '../../kubernetes/kinds.ts'
import type { Log } from '../../runtime/log.ts'
import type { AgentMeters } from '../../runtime/meters.ts'
import type { HeldReservation, Peering } from '../port/peering.ts'
import { createGranting } from './granting/granting.ts'
import { nodeLabelsIn } from './granting/node-labels.ts'
import { createPairing, type PairingSettings } from './handshake/pairing.ts'
import { createPeers, type Distrust, type PinnedAt } from './handshake/peers.ts'
import { createLiqoObjects, type LiqoChange } from './liqo/liqo-objects.ts'
import { createOwnLiqo } from './liqo/own-liqo.ts'
import { createOffloadingGuard } from './offloading/offloading-guard.ts'
import { createSeals } from './seal/seals.ts'
import type { Pair } from './session/sessions.ts'
import { createBorrower, createSlices } from './slices/slices.ts'

export type NativePorts = Readonly<{
  client: KubeClient
  broker: BrokerPeerings
  clusterId: string
  /** Where the agent's own objects are. */
  namespace: string
  /** Directory with the key that messages are signed with. */
  certPath: string
  settings: NativePeeringConfig & Pick<PairingSettings, 'quietMs'>
  /** What is known of the nodes that are lent. */
  lent: Readonly<{
    labels: Readonly<Record<string, string>>
    toleratedTaints: readonly ToleratedTaint[]
  }>
  lending(): Lending
  objectEvents: Pick<ObjectEvents, 'tell'>
  meters: Pick<AgentMeters, 'sliceJudged' | 'distrusted'>
  log: Log
  clock?: Clock
}>

/** What is lent here, as the broker has it. */
export type Lending = Readonly<{
  held(): readonly HeldReservation[]
  /** Also what is just over; undefined before the instructions are read. */
  instructed(): readonly HeldReservation[] | undefined
  brokerNow(): number
}>

/** Slots for pods that come with every reservation: what a node of Kubernetes has. */
const EXTRAS = { pods: 110n }

/**
 * Peers through the broker, with Liqo's own objects and without kubeconfigs.
 * ```
 *   borrow ─► pairing (one a provider) ─► slice (one a reservation) ─► Node
 *   lend   ─► pairing (one a requester) · granting (what slices get)
 * ```
 */
export function createNativePeering(ports: NativePorts): Peering {
  const { client, clusterId, lending, settings, log, clock = systemClock } = ports
  const { subscribe, tell } = createSignal<[reservationId: string]>()
  const facts = createSignal()
  const onTrouble = (err: Error, watched: string, pauseMs: number) =>
    log.warn({ watched, pauseMs, err }, 'a watch failed and is retried')

  const withNetworking = settings.networking === 'wireguard'
  const objects = createLiqoObjects({ client, onTrouble, clock, withNetworking })
  const liqo = createOwnLiqo({ client, namespace: settings.liqoNamespace })
  const peers = createPeers({
    client,
    namespace: ports.namespace,
    onTrouble,
    clock,
    onChange: (peer) => lookAt(peer),
    onKnown: () => pairing.lookAgain(),
    alarm,
  })
  const pairing = createPairing({
    client,
    clusterId,
    liqo,
    objects,
    peers,
    settings,
    log,
    clock,
    broker: ports.broker,
    seals: createSeals({ certPath: ports.certPath, clock }),
    isHeld: (requester) => heldFor(requester).length > 0,
    sweep: (liqoId) => slices.sweep(liqoId),
    onChange: tellPair,
  })
  const slices = createSlices({ client, objects, settings, clock })
  const stateOf = (peer: string) => pairing.stateOf({ role: 'requester', peer })
  const borrower = createBorrower({ ...pairing, stateOf }, slices)
  const granting = grantingOf(ports, { clock, liqoIdOf })
  const { enforcement } = granting
  const guard = createOffloadingGuard({ client, clock })
  granting.subscribe(tell)
  objects.subscribe(heard)
  objects.onKnown(pairing.lookAgain)

  return {
    leavesTraces: true,
    async start() {
      pairing.start()
      void liqo.facts().then(facts.tell, (err) => log.warn({ err }, 'Liqo was not found yet'))
      guard.start()
      await granting.start()
    },
    async stop() {
      await Promise.all([pairing.stop(), granting.stop(), guard.stop()])
      await Promise.all([objects.stop(), peers.stop()])
    },
    borrow: borrower.borrow,
    giveBack: borrower.giveBack,
    async lend(reservation) {
      const pair = { role: 'provider', peer: reservation.requester } as const
      pairing.lookOnce(pair)
      const { steps } = pairing.stateOf(pair)
      const granted = await granting.grant(reservation)
      return { ...granted, steps: [...steps, ...granted.steps] }
    },
    async takeBack(reservation, signal) {
      const progress = await granting.revoke(reservation, signal)
      pairing.look({ role: 'provider', peer: reservation.requester })
      return progress
    },
    liqoIdOf,
    subscribe,
    facts() {
      const { liqoId: clusterID, version } = liqo.known() ?? {}
      if (clusterID === undefined) return undefined
      const optional = given({ version, apiServer: settings.apiServerUrl })
      return { clusterID, ...optional, ...enforcement.facts() }
    },
    conditions: () => [enforcement.condition(), guard.condition()],
    watchFacts(listener) {
      for (const one of [facts, enforcement, guard]) one.subscribe(listener)
    },
  }

  function liqoIdOf(cluster: string): string | undefined {
    return peers.of(cluster)?.liqoID
  }

  function heldFor(requester: string): readonly HeldReservation[] {
    return lending()
      .held()
      .filter((one) => one.requester === requester)
  }

  function alarm(peer: string, { reason, message: note }: Distrust, pins: PinnedAt): void {
    log.warn({ peer, reason }, note)
    ports.meters.distrusted({ reason })
    ports.objectEvents.tell(CONFIG_MAP, pins, { type: 'Warning', action: 'Refuse', reason, note })
  }

  function tellPair({ role, peer }: Pair): void {
    const lent = () => heldFor(peer).map(({ id }) => id)
    for (const id of role === 'provider' ? lent() : pairing.wantedOf(peer)) tell(id)
  }

  function heard(change: LiqoChange): void {
    slices.concernedBy(change).forEach(tell)
    // A slice that is there or gone matters to its pair only when that ends.
    const { liqoId } = change
    const peer = liqoId === undefined ? undefined : peers.called(liqoId)
    if (peer !== undefined) lookAt(peer)
  }

  function lookAt(peer: string): void {
    pairing.look({ role: 'requester', peer })
    pairing.look({ role: 'provider', peer })
  }
}

function grantingOf(
  { client, log, lending, meters, settings, namespace, lent }: NativePorts,
  { clock, liqoIdOf }: Readonly<{ clock: Clock; liqoIdOf: Peering['liqoIdOf'] }>,
) {
  const { sliceClass, takeBackMs: graceMs, placeholders: asked } = settings
  const { toleratedTaints } = lent
  return createGranting({
    client,
    log,
    clock,
    reservations: () => lending().instructed(),
    brokerNow: () => lending().brokerNow(),
    liqoIdOf,
    judged: meters.sliceJudged,
    settings: {
      sliceClass,
      graceMs,
      extras: EXTRAS,
      nodeLabels: nodeLabelsIn(lent.labels),
      placeholders: asked && { ...asked, namespace, toleratedTaints },
    },
  })
}
