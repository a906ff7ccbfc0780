import { sha256 } from '../codec/batch.ts'
import type { NoteName, StoreNotes } from '../port/store-notes.ts'
import { type ChunkSpec, type Objects, snapshotChunkKind } from './kinds.ts'
import { createObjectStore } from './places.ts'

type Settings = Readonly<{ objects: Objects; namespace: string }>

/**
 * Objects of the store's own kind, which none of Kubernetes' roles for people includes, as they
 * include Secrets; and the broker needs no right that it does not have. Nothing is ever deleted:
 * a note without text was removed.
 */
export function createKubernetesNotes({ objects, namespace }: Settings): StoreNotes {
  const stored = createObjectStore<ChunkSpec>({ objects, kind: snapshotChunkKind, namespace })

  return {
    async read(name) {
      const text = (await stored.read(name))?.spec.text ?? ''
      return text === '' ? undefined : text
    },
    write,
    async remove(name) {
      if (await stored.read(name)) await write(name, '')
    },
  }

  async function write(name: NoteName, text: string): Promise<void> {
    const there = await stored.read(name)
    const spec = { snapshot: name, nth: 0, hash: sha256(text), encoding: 'plain', text } as const
    await stored.put(name, spec, there?.version)
  }
}
