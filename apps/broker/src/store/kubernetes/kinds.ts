import type { JournalSlotSpec } from '@bourse/contract/kinds'
import type { KubeClient } from '@bourse/kube'

export {
  type HistoryChunkSpec as HistorySpec,
  historyChunkKind,
  type JournalSlotSpec as SlotSpec,
  journalSlotKind,
  type SnapshotChunkSpec as ChunkSpec,
  snapshotChunkKind,
} from '@bourse/contract/kinds'

/** `gzip`: compressed and then in base64; `kubectl get … | base64 -d | gunzip` reads it. */
export type Packed = Readonly<Pick<JournalSlotSpec, 'encoding' | 'text'>>

export const slotName = (slot: number) => `slot-${String(slot).padStart(4, '0')}`
export const CATALOGUE_NAME = 'catalogue'
export const chunkName = (generation: number, nth: number) =>
  `snapshot-${generation}-${String(nth).padStart(5, '0')}`
export const historyName = (place: number) => `history-${String(place).padStart(4, '0')}`

/** The verbs of the API server that a store is made of. Nothing is ever deleted. */
export type Objects = Pick<KubeClient, 'get' | 'pages' | 'create' | 'replace' | 'watch'>
