import type { BrokerPeerings } from '@bourse/client'
import type { Kind, KubeClient } from '@bourse/kube'

const WRITES = ['create', 'replace', 'mergePatch', 'delete'] as const
const ASKED = ['openPeering', 'postPeering', 'reportPeeringTrouble', 'closePeering'] as const

export type Hesitant = ReturnType<typeof createHesitant>

/** Ports of an agent that stops before one of its deeds, until it is told to go on. */
export function createHesitant(client: KubeClient, broker: BrokerPeerings) {
  const deeds: string[] = []
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let awaited: (name: string) => boolean = () => false
  let isReached = false

  async function deed<T>(name: string, perform: () => Promise<T>): Promise<T> {
    deeds.push(name)
    if (!isReached && awaited(name)) {
      isReached = true
      reached.resolve()
      await goOn.promise
    }
    return perform()
  }
  const writes = WRITES.map((verb) => [
    verb,
    (kind: Kind, ...rest: unknown[]) =>
      deed(`${verb} ${kind.kind}`, () => Reflect.apply(client[verb], client, [kind, ...rest])),
  ])
  const asked = ASKED.map((verb) => [
    verb,
    (...all: unknown[]) => deed(verb, () => Reflect.apply(broker[verb], broker, all)),
  ])
  return {
    ports: {
      client: { ...client, ...Object.fromEntries(writes) } as KubeClient,
      broker: { ...broker, ...Object.fromEntries(asked) } as BrokerPeerings,
    },
    deeds,
    /** Before its nth deed from now on, counted from 1, or the next one of this name. */
    stopBefore(which: number | string): void {
      deeds.length = 0
      awaited = (name) => name === which || deeds.length === which
    },
    isReached: () => isReached,
    reached: reached.promise,
    goOn: goOn.resolve,
  }
}
