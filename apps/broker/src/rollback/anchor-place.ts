import { readFile } from 'node:fs/promises'
import type { KubeClient } from '@bourse/kube'
import type { AnchorConfig } from '../config/index.ts'
import { nothingThere, replaceFile } from '../store/port/store-notes.ts'

/** A small text outside the store, so that a copy of the store does not contain it. */
export type AnchorPlace = Readonly<{
  /** The value of --anchor. */
  name: string
  /** Undefined: nothing was written yet. */
  read(): Promise<string | undefined>
  /** Replaces what was read or written last. May reject if another broker has written meanwhile. */
  write(text: string): Promise<void>
}>

export async function anchorPlaceOf(
  anchor: AnchorConfig | undefined,
  client: KubeClient | undefined,
): Promise<AnchorPlace | undefined> {
  if (anchor?.kind !== 'configmap') return anchor && fileAnchor(anchor.path)
  if (!client) throw new Error('An anchor in a ConfigMap needs a connection to an API server.')
  // Loaded on demand: a broker without an API server does not need it.
  const { configMapAnchor } = await import('./config-map-anchor.ts')
  return configMapAnchor(client, anchor)
}

export function fileAnchor(path: string): AnchorPlace {
  return {
    name: path,
    read: () => readFile(path, 'utf8').catch(nothingThere),
    write: (text) => replaceFile(path, text),
  }
}
