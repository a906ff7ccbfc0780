import { createSignal } from '@bourse/daemon/signal'
import {
  type Clock,
  createKubeClient,
  type KubeClient,
  loadConnection,
  systemClock,
} from '@bourse/kube'
import type { LiqoctlPeeringConfig } from '../../config/index.ts'
import type { Log } from '../../runtime/log.ts'
import { LABEL } from '../native/liqo/liqo-kinds.ts'
import { createLiqoObjects, type LiqoChange } from '../native/liqo/liqo-objects.ts'
import { createOwnLiqo } from '../native/liqo/own-liqo.ts'
import { createOffloadingGuard } from '../native/offloading/offloading-guard.ts'
import { createBorrower, createSlices } from '../native/slices/slices.ts'
import type { Peering } from '../port/peering.ts'
import { kubeconfigFileOf } from './liqoctl-commands.ts'
import { createLiqoctlPairing } from './liqoctl-pairing.ts'
import { createRunLiqoctl } from './run-liqoctl.ts'

type LiqoctlPorts = Readonly<{
  client: KubeClient
  settings: LiqoctlPeeringConfig
  log: Log
  clock?: Clock
}>

/** What Liqo's own controller of a provider grants: here no agent answers for it. */
const SLICE_CLASS = 'default'

/**
 * Peers by liqoctl, with the kubeconfigs of providers; the provider's agent has no part in it.
 * ```
 *   borrow ─► liqoctl peer (one a provider) ─► slice (one a reservation) ─► Node
 * ```
 */
export function createLiqoctlPeering(ports: LiqoctlPorts): Peering {
  const { client, settings, log, clock = systemClock } = ports
  const { subscribe, tell } = createSignal<[reservationId: string]>()
  const objects = createLiqoObjects({
    client,
    onTrouble: (err, watched, pauseMs) =>
      log.warn({ watched, pauseMs, err }, 'a watch failed and is retried'),
    clock,
  })
  const { binary, kubeconfig, timeoutMs, liqoNamespace } = settings
  const pairing = createLiqoctlPairing({
    client,
    objects,
    settings,
    log,
    clock,
    run: createRunLiqoctl({ binary, kubeconfig, timeoutMs }),
    kubeconfigOf: (provider) => kubeconfigFileOf(settings.kubeconfigsDir, provider),
    liqoIdIn: (path) => liqoIdIn(path, liqoNamespace),
    sweep: (liqoId) => slices.sweep(liqoId),
    onChange(provider) {
      for (const id of pairing.wantedOf(provider)) tell(id)
    },
  })
  const slices = createSlices({
    client,
    objects,
    clock,
    settings: { ...settings, sliceClass: SLICE_CLASS },
  })
  const borrower = createBorrower(pairing, slices)
  const guard = createOffloadingGuard({ client, clock })
  objects.subscribe(heard)
  const nothing = { steps: [], isDone: true }

  return {
    leavesTraces: true,
    async start() {
      guard.start()
    },
    async stop() {
      await Promise.all([pairing.stop(), guard.stop()])
      await objects.stop()
    },
    borrow: borrower.borrow,
    giveBack: borrower.giveBack,
    lend: async () => nothing,
    takeBack: async () => nothing,
    liqoIdOf: () => undefined,
    facts: () => undefined,
    conditions: () => [guard.condition()],
    watchFacts: guard.subscribe,
    subscribe,
  }

  function heard(change: LiqoChange): void {
    slices.concernedBy(change).forEach(tell)
    // A deleted Identity no longer names its provider.
    const providers = new Set(pairing.providers())
    for (const { metadata, spec } of objects.identities()) {
      const provider = metadata.labels?.[LABEL.peer]
      if (provider !== undefined && spec?.clusterID === change.liqoId) providers.add(provider)
    }
    for (const provider of providers) pairing.look(provider)
  }
}

async function liqoIdIn(kubeconfig: string, namespace: string): Promise<string> {
  const there = createKubeClient(await loadConnection({ kubeconfig }))
  const found = createOwnLiqo({ client: there, namespace }).facts()
  return found.then(({ liqoId }) => liqoId).finally(() => there.close())
}
