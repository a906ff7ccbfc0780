import { createSignal } from '@bourse/daemon/signal'
import { isSameJson, type KubeClient } from '@bourse/kube'
import {
  applySharing,
  type BorrowersOf,
  createCapacityWatcher,
  type SharingLimits,
  sharingInForce,
} from '../capacity/index.ts'
import type { AgentConfig } from '../config/index.ts'
import type { Log } from '../runtime/log.ts'
import { createCostSource } from './cost/cost-source.ts'
import type { OwnAdvertisement } from './own-advertisement.ts'

type Ports = Readonly<{
  config: Pick<AgentConfig, 'nodeRules' | 'sharing' | 'cost' | 'peering' | 'instructionNamespace'>
  client: KubeClient
  own: Pick<OwnAdvertisement, 'current' | 'subscribe'>
  borrowersOf: BorrowersOf
  log: Log
}>

/** What this cluster has, how much of it may be lent, and its prices. */
export function createSupply({ config, client, own, borrowersOf, log }: Ports) {
  const capacity = createCapacityWatcher({
    client,
    rules: config.nodeRules,
    borrowersOf,
    placeholders: placeholderNamespace(config),
    onTrouble: (err, watched) => log.warn({ err, watched }, 'a watch failed and is retried'),
  })
  const sharing = createSharingSource(own, config.sharing)
  const cost = createCostSource({ client, config: config.cost, rules: config.nodeRules, log })
  return {
    sharing,
    prices: cost.current,
    /** The whole cluster; undefined until nodes and pods are known. */
    whole: capacity.current,
    /** With the sharing limits applied. */
    measured() {
      const whole = capacity.current()
      return whole && applySharing(whole, sharing.limits())
    },
    subscribe(listener: () => void): void {
      capacity.subscribe(listener)
      cost.subscribe(listener)
      sharing.subscribe(listener)
    },
    async start(): Promise<void> {
      await Promise.all([capacity.start(), cost.start()])
    },
    async stop(): Promise<void> {
      await Promise.all([capacity.stop(), cost.stop()])
    },
    checks: {
      capacity: () => (capacity.current() ? undefined : 'nodes and pods are not known yet'),
      prices: cost.trouble,
      sharing: sharing.trouble,
    },
  }
}

function placeholderNamespace({
  peering,
  instructionNamespace,
}: Ports['config']): string | undefined {
  return peering.kind === 'native' && peering.placeholders ? instructionNamespace : undefined
}

/** The current sharing limits, from the flags and from the Advertisement. */
function createSharingSource(
  own: Pick<OwnAdvertisement, 'current' | 'subscribe'>,
  flags: SharingLimits,
) {
  const changed = createSignal()
  let written = own.current()?.spec?.sharing
  let inForce = sharingInForce(written, flags)
  own.subscribe(() => {
    const next = own.current()?.spec?.sharing
    if (isSameJson(next, written)) return
    written = next
    inForce = sharingInForce(written, flags)
    changed.tell()
  })
  return {
    limits: () => inForce.limits,
    condition: () => inForce.condition,
    trouble: () => (inForce.condition.status === 'False' ? inForce.condition.message : undefined),
    subscribe: changed.subscribe,
  }
}
