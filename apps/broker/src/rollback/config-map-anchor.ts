import { ignoring, isNotFound, type Kind, type KubeClient, type KubeObject } from '@bourse/kube'
import type { AnchorPlace } from './anchor-place.ts'

type Where = Readonly<{ namespace: string; name: string }>
export type ConfigMap = KubeObject & Readonly<{ data?: Readonly<Record<string, string>> }>

export const CONFIG_MAP: Kind = {
  ...{ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const KEY = 'anchor.json'
/** One attempt: the next one comes in a moment anyway. */
const WRITING = { retry: false, timeoutMs: 5_000, fieldManager: 'bourse-broker' } as const

/**
 * An anchor in a ConfigMap. Every write names the version it replaces, so that a leader that was
 * frozen for a while does not take the anchor of the next one back.
 */
export function configMapAnchor(
  client: Pick<KubeClient, 'get' | 'create' | 'replace'>,
  { namespace, name }: Where,
): AnchorPlace {
  /** As it was read or written last; undefined: there is none. */
  let known: ConfigMap | undefined
  const empty = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }

  return {
    name: `configmap:${namespace}/${name}`,
    async read() {
      known = await ignoring(isNotFound, client.get<ConfigMap>(CONFIG_MAP, name, namespace))
      // The chart makes it empty, as a right to create cannot be bound to a name.
      return known?.data?.[KEY] || undefined
    },
    async write(text) {
      known = known
        ? await client.replace(CONFIG_MAP, withText(known, text), WRITING)
        : await client.create(CONFIG_MAP, withText(empty, text), WRITING)
    },
  }
}

/** Labels, and whatever else somebody keeps there, stay as they are. */
function withText(object: ConfigMap, text: string): ConfigMap {
  return { ...object, data: { ...object.data, [KEY]: text } }
}
