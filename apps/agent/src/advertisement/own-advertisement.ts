import type { LocalAdvertisementSpec, LocalAdvertisementStatus } from '@bourse/contract/kinds'
import { createSignal } from '@bourse/daemon/signal'
import { createReflector, type KubeClient, type KubeObject } from '@bourse/kube'
import { ADVERTISEMENT } from '../kubernetes/kinds.ts'

export type AdvertisementObject = KubeObject<LocalAdvertisementSpec, LocalAdvertisementStatus>

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch'>
  namespace: string
  name: string
  onTrouble(error: Error): void
}>

export type OwnAdvertisement = ReturnType<typeof createOwnAdvertisement>

/** This cluster's Advertisement object; one watch for all users. */
export function createOwnAdvertisement({ client, namespace, name, onTrouble }: Ports) {
  const changed = createSignal()
  let current: AdvertisementObject | undefined
  let trouble: string | undefined = 'the Advertisement is not known yet'
  const reflector = createReflector<AdvertisementObject, AdvertisementObject>({
    client,
    kind: ADVERTISEMENT,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    on: { added: note, changed: note, removed: () => note(undefined) },
    onTrouble(error) {
      if (trouble !== undefined) trouble = error.message
      onTrouble(error)
    },
  })
  reflector.synced.then(
    () => {
      trouble = undefined
    },
    () => {},
  )
  return {
    synced: reflector.synced,
    /** Why it is not known yet: nothing else starts before. */
    trouble: () => trouble,
    /** Undefined: it does not exist, or is not known yet. */
    current: () => current,
    subscribe: changed.subscribe,
    stop: reflector.stop,
  }

  function note(object: AdvertisementObject | undefined): void {
    current = object
    changed.tell()
  }
}
