import { ignoring, isNotFound, type Kind, type KubeClient, type KubeObject } from '@bourse/kube'
import type { AnchorPlace } from './anchor-place.ts'

type Where = Readonly<{ namespace: string; name: string }>
export type ConfigMap = KubeObject & Readonly<{ data?: Readonly<Record<string, string>> }>

export const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
const KEY = 'anchor.json'
/** A single attempt: the next write comes in a moment. */
const WRITING = { retry: false, timeoutMs: 5_000, fieldManager: 'bourse-broker' } as const

/**
 * An anchor in a ConfigMap. Every write names the version it replaces, so that a leader that was
 * frozen for a while cannot set the anchor of its successor back.
 */
export function configMapAnchor(
  client: Pick<KubeClient, 'get' | 'create' | 'replace'>,
  { namespace, name }: Where,
): AnchorPlace {
  /** As last read or written; undefined if there is none. */
  let known: ConfigMap | undefined
  const empty = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }

  return {
    name: `configmap:${namespace}/${name}`,
    async read() {
      known = await ignoring(isNotFound, client.get<ConfigMap>(CONFIG_MAP, name, namespace))
      // The chart creates it empty: RBAC cannot restrict the right to create to one name.
      return known?.data?.[KEY] || undefined
    },
    async write(text) {
      known = known
        ? await client.replace(CONFIG_MAP, withText(known, text), WRITING)
        : await client.create(CONFIG_MAP, withText(empty, text), WRITING)
    },
  }
}

/** Labels and other keys stay as they are. */
function withText(object: ConfigMap, text: string): ConfigMap {
  return { ...object, data: { ...object.data, [KEY]: text } }
}
