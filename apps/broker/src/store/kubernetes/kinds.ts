import type { Kind, KubeClient } from '@bourse/kube'

const ours = { group: 'broker.fluidos.eu', version: 'v1alpha1', namespaced: true } as const

/** One batch of the journal, at a place of the ring. */
export const journalSlotKind: Kind = { ...ours, plural: 'journalslots', kind: 'JournalSlot' }
/** A piece of a snapshot; one of them is the catalogue of those that are finished. */
export const snapshotChunkKind: Kind = { ...ours, plural: 'snapshotchunks', kind: 'SnapshotChunk' }
/** A piece of the log of what has ended. */
export const historyChunkKind: Kind = { ...ours, plural: 'historychunks', kind: 'HistoryChunk' }

/** `gzip`: compressed and then in base64; `kubectl get … | base64 -d | gunzip` reads it. */
export type Packed = Readonly<{ encoding: 'plain' | 'gzip'; text: string }>

export type SlotSpec = Packed &
  Readonly<{
    /** The number of slots: fixed by the writer of the first batch. */
    ring: number
    index: number
    writer: string
    previous: string
    hash: string
  }>

export type ChunkSpec = Packed & Readonly<{ snapshot: string; nth: number; hash: string }>

export type HistorySpec = Packed &
  Readonly<{
    /** Its place in the order of all that were ever written. */
    sequence: number
    /** With it, the history has everything of the batches up to this one. */
    through: number
    /** When the youngest thing in it ended. */
    youngestAt: number
    hash: string
  }>

export const slotName = (slot: number) => `slot-${String(slot).padStart(4, '0')}`
export const CATALOGUE_NAME = 'catalogue'
export const chunkName = (generation: number, nth: number) =>
  `snapshot-${generation}-${String(nth).padStart(5, '0')}`
export const historyName = (place: number) => `history-${String(place).padStart(4, '0')}`

/** The verbs of the API server that a store is made of. Nothing is ever deleted. */
export type Objects = Pick<KubeClient, 'get' | 'pages' | 'create' | 'replace' | 'watch'>
