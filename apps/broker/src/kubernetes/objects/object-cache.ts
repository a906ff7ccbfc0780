import { createReflector, type Kind, type KubeClient, type KubeObject } from '@bourse/kube'
import { createFreshest } from './freshest.ts'
import type { ObjectFacts } from './object-facts.ts'

type Ports<T, O extends KubeObject> = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  kind: Kind
  /** Each object as the server tells of it, before anything is made of it. */
  saw(object: O): void
  decode(object: O): T | undefined
  onTrouble(error: Error): void
}>

export type ObjectCache<T extends ObjectFacts> = ReturnType<typeof createObjectCache<T, KubeObject>>

/** All objects of a kind, each in its newest known version. */
export function createObjectCache<T extends ObjectFacts, O extends KubeObject>(ports: Ports<T, O>) {
  let reflector: ReturnType<typeof createReflector<T, O>> | undefined
  const freshest = createFreshest<T>(() => reflector)
  const keysByUid = new Map<string, string>()
  const vanished = new Map<string, readonly T[]>()
  let touched: (object: T, key: string) => void = () => {}

  return {
    /** Called for each object that is new, changed or gone. */
    watchedBy(watcher: typeof touched): void {
      touched = watcher
    },
    /** Begins to list and watch; resolves when the first full list is in. */
    async fill(): Promise<void> {
      const { client, kind, onTrouble } = ports
      reflector = createReflector<T, O>({
        client,
        kind,
        decode,
        onTrouble,
        on: { added: appeared, changed, removed },
      })
      await reflector.synced
    },
    isFull: () => reflector?.isSynced() ?? false,
    get: freshest.get,
    byUid(uid: string): T | undefined {
      const key = keysByUid.get(uid)
      return key === undefined ? undefined : freshest.get(key)
    },
    keyOfUid: (uid: string) => keysByUid.get(uid),
    keys: (): Iterable<string> => reflector?.keys() ?? [],
    /** Deleted objects that still have to be handled. */
    takeGone: (key: string) => vanished.get(key) ?? [],
    dealtWith(key: string, gone: readonly T[]): void {
      const left = (vanished.get(key) ?? []).filter((one) => !gone.includes(one))
      if (left.length > 0) vanished.set(key, left)
      else vanished.delete(key)
    },
    /** The answer to a write of ours. */
    wrote: freshest.wrote,
    gone: freshest.gone,
    stop: async () => reflector?.stop(),
  }

  function decode(object: O): T | undefined {
    ports.saw(object)
    return ports.decode(object)
  }

  function appeared(object: T, key: string): void {
    if (!object.isMirror) keysByUid.set(object.uid, key)
    freshest.saw(object, key)
    touched(object, key)
  }

  function changed(object: T, before: T, key: string): void {
    // Deleted and created again under the same name, unseen by the watch.
    if (before.uid !== object.uid) vanish(before, key)
    appeared(object, key)
  }

  function removed(last: T, key: string): void {
    freshest.gone(key)
    vanish(last, key)
    touched(last, key)
  }

  function vanish(last: T, key: string): void {
    // Nothing depends on a mirror: it is made again if it should be there.
    if (last.isMirror) return
    keysByUid.delete(last.uid)
    vanished.set(key, [...(vanished.get(key) ?? []), last])
  }
}
