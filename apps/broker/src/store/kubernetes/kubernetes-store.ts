import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerSettings } from '@bourse/domain/ledger'
import { isNotFound, KubeError } from '@bourse/kube'
import { sha256 } from '../codec/batch.ts'
import type { SharedStore } from '../port/store.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import type { NoteName, StoreNotes } from '../port/store-notes.ts'
import { createExplainer, createRemoteExplainer } from '../replay/explainer.ts'
import { keepAllRungs } from '../snapshots/snapshot-ladder.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { type Archive, createArchive } from './archive.ts'
import { type ChunkSpec, type Objects, snapshotChunkKind } from './kinds.ts'
import { openKubernetesHistory } from './kubernetes-history.ts'
import { type KubernetesJournal, openKubernetesJournal } from './kubernetes-journal.ts'
import { createObjectStore } from './places.ts'

type Settings = Readonly<{
  objects: Objects
  namespace: string
  slots?: number
  /** For copies that may be lost: the history, and batches that have left the ring. */
  dataDir: string
  settings: LedgerSettings
  crash(cause: Error): void
}>

/** The ledger on the API server, for several brokers of which one leads. */
export async function openKubernetesStore(options: Settings): Promise<SharedStore> {
  const { objects, namespace, slots, settings, crash } = options
  const dataDir = join(options.dataDir, 'history-cache')
  rmSync(dataDir, { recursive: true, force: true })
  const cache = await openSqliteStore({ dataDir, isCache: true, crash })
  const place = { objects, namespace }
  const opened = Promise.all([
    openKubernetesJournal({ ...place, ...(slots !== undefined && { slots }) }),
    openKubernetesHistory({ ...place, cache: cache.history }),
  ])
  const [ring, history] = await opened.catch(async (failure) => {
    await cache.close()
    throw named(failure, namespace)
  })
  const archive = createArchive({ ring, copy: cache.journal })
  const journal = archived(ring, archive)
  const near = createExplainer({ dataDir, settings })
  const far = createRemoteExplainer({ journal: ring, settings })
  return {
    journal,
    history,
    notes: createKubernetesNotes(place),
    notices: [],
    // What this machine has is nearer, and reaches further back unless it was just started.
    async explainAt(record, reader) {
      await archive.settled()
      return (await near.explainAt(record, reader)) ?? far.explainAt(record, reader)
    },
    chooseRungs: keepAllRungs,
    secureHistory: history.secure,
    everything: history.everything,
    trouble: () => undefined,
    noteAddress: async () => {},
    rest: cache.rest,
    close: cache.close,
  }
}

/** The journal, with a copy of everything that passes by. */
function archived(journal: KubernetesJournal, { take }: Archive): KubernetesJournal {
  return {
    ...journal,
    async append(batch) {
      const appended = await journal.append(batch)
      if (appended.kind === 'committed') take(batch)
      return appended
    },
    async *follow(from, signal) {
      for await (const batch of journal.follow(from, signal)) {
        take(batch)
        yield batch
      }
    },
  }
}

/** What an operator has to do about it, if nothing else can. */
function named(failure: unknown, namespace: string): unknown {
  if (isNotFound(failure))
    return new StoreUnusable(
      `The cluster does not know the kinds of the kubernetes store: ${failure.message}`,
      'Install the CRDs: `make install`, or the chart',
    )
  if (failure instanceof KubeError && failure.status === 403)
    return new StoreUnusable(
      `The broker may not use its store in namespace ${namespace}: ${failure.message}`,
      'Grant get, list, watch, create and update on journalslots, snapshotchunks, historychunks',
    )
  return failure
}

/**
 * Objects of the store's own kind, which none of Kubernetes' roles for people includes, as they
 * include Secrets; and the broker needs no right that it does not have. Nothing is ever deleted:
 * a note without text was removed.
 */
export function createKubernetesNotes({
  objects,
  namespace,
}: Pick<Settings, 'objects' | 'namespace'>): StoreNotes {
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
