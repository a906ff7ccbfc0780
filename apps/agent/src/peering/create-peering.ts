import type { BrokerPeerings } from '@bourse/client'
import type { KubeClient } from '@bourse/kube'
import type { AgentConfig } from '../config/index.ts'
import type { ObjectEvents } from '../kubernetes/events.ts'
import type { Log } from '../runtime/log.ts'
import type { AgentMeters } from '../runtime/meters.ts'
import { createLiqoctlPeering } from './liqoctl/create-liqoctl-peering.ts'
import { createNativePeering, type Lending } from './native/create-native-peering.ts'
import type { Peering, Step } from './port/peering.ts'

type Ports = Readonly<{
  config: Pick<AgentConfig, 'peering' | 'broker' | 'instructionNamespace' | Lent>
  client: KubeClient
  broker: BrokerPeerings
  clusterId: string
  /** Asked when it is needed: each of the two builds on the other. */
  lending(): Lending
  objectEvents: Pick<ObjectEvents, 'tell'>
  meters: Pick<AgentMeters, 'sliceJudged' | 'distrusted'>
  log: Log
}>

type Lent = 'described' | 'nodeRules'

/** The way of peering that the flags choose. */
export function createPeering({ config, ...ports }: Ports): Peering {
  const { peering: settings, broker, instructionNamespace: namespace } = config
  if (settings.kind === 'none') return createNoPeering()
  if (settings.kind === 'liqoctl') return createLiqoctlPeering({ ...ports, settings })
  // The flags are refused before; sessions need a broker that carries them.
  if (broker.kind === 'kubernetes') throw new Error('--peering=native needs another transport.')
  return createNativePeering({
    ...ports,
    settings,
    namespace,
    certPath: broker.certPath,
    lent: {
      labels: config.described.labels ?? {},
      toleratedTaints: config.nodeRules.toleratedTaints,
    },
  })
}

/** Instructions are delivered at once; the user of the capacity activates it at the broker. */
export function createNoPeering(): Peering {
  const done = { steps: [], isDone: true }
  return {
    leavesTraces: false,
    start: async () => {},
    stop: async () => {},
    borrow: async ({ offload }) => ({
      ...done,
      isUsable: false,
      ...(offload && { steps: [NOT_OFFLOADED] }),
    }),
    giveBack: async () => done,
    lend: async () => done,
    takeBack: async () => done,
    subscribe: () => () => {},
    liqoIdOf: () => undefined,
    facts: () => undefined,
    conditions: () => [],
    watchFacts() {},
  }
}

const NOT_OFFLOADED: Step = {
  type: 'NamespaceOffloaded',
  status: 'False',
  reason: 'NoPeering',
  message: 'This agent does not peer (--peering=none), so no namespace is offloaded',
}
