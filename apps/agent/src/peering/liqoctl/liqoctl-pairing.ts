import {
  type Clock,
  createWorkQueue,
  isBeingDeleted,
  isSameJson,
  type KubeClient,
} from '@bourse/kube'
import type { LiqoctlPeeringConfig } from '../../config/index.ts'
import type { Log } from '../../runtime/log.ts'
import {
  createIdleClock,
  createWanted,
  LOOK_AGAIN_MS,
  NOTHING,
  type PairState,
} from '../native/handshake/pair-state.ts'
import { type Identity, isUsable } from '../native/liqo/identity.ts'
import { LABEL, LIQO } from '../native/liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../native/liqo/liqo-objects.ts'
import { waiting } from '../port/peering.ts'
import { type KubeconfigFile, peerCommand, unpeerCommand } from './liqoctl-commands.ts'
import { running, standingSteps, stepsOf } from './liqoctl-steps.ts'
import type { RunLiqoctl } from './run-liqoctl.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'list' | 'mergePatch'>
  objects: Pick<LiqoObjects, 'missing' | 'identities' | 'slices' | 'foreignCluster'>
  run: RunLiqoctl
  kubeconfigOf(provider: string): KubeconfigFile
  /** What the cluster of this kubeconfig is called by Liqo. */
  liqoIdIn(kubeconfig: string): Promise<string>
  /** Takes back the namespaces of reservations that never ended; true while that is awaited. */
  sweep(liqoId: string): Promise<boolean>
  settings: Pick<LiqoctlPeeringConfig, Setting>
  onChange(provider: string): void
  log: Pick<Log, 'warn'>
  clock: Clock
}>

type Setting = 'networking' | 'serviceType' | 'lingerMs' | 'graceMs' | 'liqoNamespace'

/** After a command that failed, or while a file is missing. */
const RETRY_MS = 10_000
/** Commands at a time; each pair of clusters has one at most. */
const AT_ONCE = 4

/** Peerings made by liqoctl in the background, one command per provider at a time. */
export function createLiqoctlPairing(ports: Ports) {
  const { objects, run, settings, log, clock } = ports
  const states = new Map<string, PairState>()
  /** By provider: the kubeconfig of a command that was begun, and may have made who knows what. */
  const begun = new Map<string, string>()
  const idle = createIdleClock(clock)
  const rest = createRest(clock)
  const queue = createWorkQueue({ work, onTrouble, workers: AT_ONCE, clock })
  const look = (provider: string) => void queue.add(provider)
  const wanted = createWanted(look)
  const { isWanted } = wanted

  return {
    stateOf: (provider: string): PairState => states.get(provider) ?? NOTHING,
    ...wanted,
    look,
    stop: queue.stop,
  }

  async function work(provider: string, signal: AbortSignal) {
    if (objects.missing() !== undefined) return { againAfterMs: LOOK_AGAIN_MS }
    if (isWanted(provider)) idle.busy(provider)
    const state = await (isWanted(provider) ? join : leave)(provider, signal)
    show(provider, state)
    return { againAfterMs: state.againAfterMs }
  }

  async function join(provider: string, signal: AbortSignal): Promise<PairState> {
    const identity = identityOf(provider)
    if (identity && isBeingDeleted(identity)) return LEAVING
    if (identity && isUsable(identity)) return standing(identity)
    const file = ports.kubeconfigOf(provider)
    if (file.kind === 'missing')
      return {
        steps: [waiting('PeeringRequested', 'KubeconfigMissing', file.message)],
        againAfterMs: RETRY_MS,
      }
    const waitMs = rest.leftMs(provider)
    if (waitMs > 0) return { ...(states.get(provider) ?? NOTHING), againAfterMs: waitMs }
    show(provider, { steps: running(settings.networking) })
    begun.set(provider, file.path)
    const reply = await run(peerCommand(file.path, settings), signal)
    const steps = stepsOf(reply, settings.networking)
    if (reply.kind === 'failed') {
      log.warn({ provider, why: reply.message }, 'peering by liqoctl failed and is retried')
      if (reply.reason === 'LiqoctlMissing') begun.delete(provider)
      return rest.begin(provider, { steps })
    }
    const claimed = await claim(provider, await ports.liqoIdIn(file.path))
    // From now on its Identity tells of it.
    if (claimed) begun.delete(provider)
    return claimed ? standing(claimed) : { steps, againAfterMs: LOOK_AGAIN_MS }
  }

  /** Marks the Identity as ours: after a restart it is what tells which provider it is of. */
  async function claim(provider: string, liqoId: string): Promise<Identity | undefined> {
    // Asked, not watched: what liqoctl has just made may not have been told yet.
    const labelSelector = `${LABEL.remote}=${liqoId}`
    const { items } = await ports.client.list<Identity>(LIQO.identity, { labelSelector })
    const found = items.find(isOfPair)
    const labels = { [LABEL.peer]: provider }
    return found && ports.client.mergePatch(LIQO.identity, found.metadata, { metadata: { labels } })
  }

  /** The last reservation has gone: after a while, so has the peering. */
  async function leave(provider: string, signal: AbortSignal): Promise<PairState> {
    const identity = identityOf(provider)
    if (!identity) return leaveUnclaimed(provider, signal)
    const { clusterID = '' } = identity.spec ?? {}
    if (isUsed(clusterID)) return NOTHING
    const leftMs = Math.max(idle.leftMs(provider, settings.lingerMs), rest.leftMs(provider))
    if (leftMs > 0) return { ...NOTHING, againAfterMs: leftMs }
    const file = ports.kubeconfigOf(provider)
    if (file.kind === 'missing') return untold(provider, file.message)
    return unpeer({ provider, liqoId: clusterID, kubeconfig: file.path }, signal)
  }

  /** A command that failed may have made more than it told; one that never got there did not. */
  async function leaveUnclaimed(provider: string, signal: AbortSignal): Promise<PairState> {
    const kubeconfig = begun.get(provider)
    if (kubeconfig === undefined) return NOTHING
    const waitMs = rest.leftMs(provider)
    if (waitMs > 0) return { ...NOTHING, againAfterMs: waitMs }
    if (idle.leftMs(provider, settings.graceMs) <= 0) {
      begun.delete(provider)
      return NOTHING
    }
    const liqoId = await ports.liqoIdIn(kubeconfig)
    return isUsed(liqoId) ? NOTHING : unpeer({ provider, liqoId, kubeconfig }, signal)
  }

  /** liqoctl would take all slices away, also those that others have made. */
  function isUsed(liqoId: string): boolean {
    return objects.slices().some(({ spec }) => spec?.providerClusterID === liqoId)
  }

  type Leaving = Readonly<{ provider: string; liqoId: string; kubeconfig: string }>

  async function unpeer({ provider, liqoId, kubeconfig }: Leaving, signal: AbortSignal) {
    // From here on no new reservation may use it.
    show(provider, NOTHING)
    if (await ports.sweep(liqoId)) return { ...NOTHING, againAfterMs: LOOK_AGAIN_MS }
    // A reservation came meanwhile and may use it: check again.
    if (isWanted(provider)) return NOTHING
    const reply = await run(unpeerCommand(kubeconfig, settings), signal)
    if (reply.kind === 'failed') return untold(provider, reply.message)
    begun.delete(provider)
    return NOTHING
  }

  function untold(provider: string, why: string): PairState {
    log.warn({ provider, why }, 'un-peering by liqoctl failed and is retried')
    return rest.begin(provider, NOTHING)
  }

  function identityOf(provider: string): Identity | undefined {
    const isIts = ({ metadata }: Identity) => metadata.labels?.[LABEL.peer] === provider
    return objects.identities().find((one) => isOfPair(one) && isIts(one))
  }

  function standing({ metadata, spec }: Identity): PairState {
    const liqoId = spec?.clusterID ?? ''
    return {
      steps: standingSteps(settings.networking, objects.foreignCluster(liqoId)),
      ready: { liqoId, namespace: metadata.namespace ?? '' },
    }
  }

  function show(provider: string, state: PairState): void {
    const before = states.get(provider)
    states.set(provider, state)
    if (!isSameJson(before ?? null, state)) ports.onChange(provider)
  }

  function onTrouble(err: Error, provider: string, pauseMs: number): void {
    log.warn({ provider, pauseMs, err }, 'peering by liqoctl failed and is retried')
    show(provider, { steps: [waiting('PeeringRequested', 'TriedAgain', err.message)] })
  }
}

/** liqoctl would take the Identity that goes for the new one. */
const BEING_REMOVED = 'An earlier peering is being removed; a new one follows'
const LEAVING: PairState = {
  steps: [waiting('PeeringRequested', 'BeingDeleted', BEING_REMOVED)],
  againAfterMs: LOOK_AGAIN_MS,
}

/** Each slice has an Identity of its own, too. */
function isOfPair({ spec }: Identity): boolean {
  return spec?.type === 'ControlPlane'
}

/** What a failed command has made or removed would be a reason to run it again at once. */
function createRest({ monotonic }: Pick<Clock, 'monotonic'>) {
  const until = new Map<string, number>()
  return {
    leftMs: (provider: string): number => (until.get(provider) ?? 0) - monotonic(),
    begin(provider: string, state: PairState): PairState {
      until.set(provider, monotonic() + RETRY_MS)
      return { ...state, againAfterMs: RETRY_MS }
    },
  }
}
