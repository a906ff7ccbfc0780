import type { BrokerCommunicator } from '@bourse/client'
import type { Kind, KubeClient } from '@bourse/kube'

export type Death = Readonly<{
  /** At which of its deeds, counted from 1. */
  at: number
  /** Before: it was not done. After: it was done, and the answer was lost. */
  when: 'before' | 'after'
}>

export type Mortal<B> = Readonly<{
  client: KubeClient
  broker: B
  /** What it did, the last thing included; then it did nothing any more. */
  deeds: readonly string[]
  isDead(): boolean
  died: Promise<void>
}>

const WRITES = ['create', 'replace', 'mergePatch', 'delete'] as const
const ASKED = [
  ...['requestReservation', 'renew', 'release', 'activate'],
  ...['openPeering', 'postPeering', 'reportPeeringTrouble', 'closePeering'],
]

/** Ports of an agent that is killed between two of its deeds: what was done stays done. */
export function createMortal<B extends Partial<BrokerCommunicator>>(
  client: KubeClient,
  broker: B,
  { at, when }: Death,
): Mortal<B> {
  const deeds: string[] = []
  const death = Promise.withResolvers<void>()
  let isDead = false

  async function deed<T>(name: string, perform: () => Promise<T>): Promise<T> {
    if (isDead) throw new Error('killed')
    deeds.push(name)
    const isLast = deeds.length === at
    if (!isLast) return perform()
    isDead = true
    const done = when === 'after' ? perform() : Promise.resolve()
    await done.finally(death.resolve)
    throw new Error('killed')
  }
  const writes = WRITES.map((verb) => [
    verb,
    (kind: Kind, ...rest: unknown[]) =>
      // Events are for people: nothing depends on them.
      kind.kind === 'Event'
        ? Reflect.apply(client[verb], client, [kind, ...rest])
        : deed(`${verb} ${kind.kind}`, () => Reflect.apply(client[verb], client, [kind, ...rest])),
  ])
  const asked = Object.entries(broker)
    .filter(([verb]) => ASKED.includes(verb))
    .map(([verb, ask]) => [
      verb,
      (...all: unknown[]) => deed(verb, () => Reflect.apply(ask, broker, all)),
    ])
  return {
    client: { ...client, ...Object.fromEntries(writes) },
    broker: { ...broker, ...Object.fromEntries(asked) },
    deeds,
    isDead: () => isDead,
    died: death.promise,
  }
}
