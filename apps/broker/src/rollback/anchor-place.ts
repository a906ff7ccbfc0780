import { readFile } from 'node:fs/promises'
import type { KubeClient } from '@bourse/kube'
import type { AnchorConfig } from '../config/index.ts'
import { nothingThere, replaceFile } from '../store/port/store-notes.ts'

/** One small text that a copy of the store does not take along. */
export type AnchorPlace = Readonly<{
  /** As --anchor has it. */
  name: string
  /** Undefined: nothing was noted yet. */
  read(): Promise<string | undefined>
  /**
   * Replaces what was read or written last. Rejects where somebody else has written meanwhile and
   * the place can tell: read again, then try again.
   */
  write(text: string): Promise<void>
}>

/** The place that the flags name, if they name one. */
export async function anchorPlaceOf(
  anchor: AnchorConfig | undefined,
  client: KubeClient | undefined,
): Promise<AnchorPlace | undefined> {
  if (anchor?.kind !== 'configmap') return anchor && fileAnchor(anchor.path)
  if (!client) throw new Error('An anchor in a ConfigMap needs a connection to an API server.')
  // Loaded only now: what speaks to an API server is of no use to a broker without one.
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
