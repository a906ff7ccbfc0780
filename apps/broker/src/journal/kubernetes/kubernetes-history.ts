import type { Bygone, History, PruneLimits } from '../../history/history.ts'
import { decodeBygones, encodeBygone, youngestIn } from './bygone-text.ts'
import { openHistoryLog, type Piece } from './history-log.ts'
import { type HistorySpec, historyChunkKind, type Objects } from './kinds.ts'
import { gzipped, unpack } from './packed-text.ts'
import { createShelf } from './shelf.ts'

type Settings = Readonly<{
  objects: Objects
  namespace: string
  /** What answers questions: local, and filled anew at each start. */
  cache: History
  places?: number
}>

export type KubernetesHistory = History & {
  /** Everything recorded so far is on the API server when this resolves: before each snapshot. */
  secure(): Promise<void>
}

/** Some hundred thousand ended reservations; see docs/decisions. */
const PLACES = 256
/** A standby looks what the leader has secured when so much has gathered. */
const OUTBOX_BYTES_MAX = 4 * 1024 * 1024

/**
 * The history as a log on the API server, queried through a local cache. What was recorded since
 * the last snapshot need not be in the log: the journal still has the batches that it came from.
 */
export async function openKubernetesHistory(settings: Settings): Promise<KubernetesHistory> {
  const { objects, namespace, cache, places = PLACES } = settings
  const shelf = createShelf<HistorySpec>({ objects, kind: historyChunkKind, namespace })
  const log = await openHistoryLog({ shelf, places, load })
  let outbox: Piece[] = []
  let expiredBefore = 0

  return { ...cache, record, recordedThrough, prune, secure }

  async function recordedThrough(): Promise<number> {
    return Math.max(log.through(), await cache.recordedThrough())
  }

  async function load(spec: HistorySpec): Promise<void> {
    for (const bygone of decodeBygones(await unpack(spec))) await cache.record(bygone)
  }

  async function record(bygone: Bygone): Promise<void> {
    await cache.record(bygone)
    const bytes = await gzipped(encodeBygone(bygone))
    outbox.push({ bytes, through: bygone.through, youngestAt: youngestIn(bygone) })
    if (outbox.reduce((sum, piece) => sum + piece.bytes.length, 0) > OUTBOX_BYTES_MAX) await trim()
  }

  async function trim(): Promise<void> {
    await log.catchUp()
    // One that is through with batch N may hold some of N + 1. Securing it twice is harmless.
    outbox = outbox.filter(({ through }) => through >= log.through())
  }

  async function secure(): Promise<void> {
    await trim()
    const pieces = outbox
    if (pieces.length > 0) await log.append(pieces)
    outbox = outbox.filter((piece) => !pieces.includes(piece))
    await log.blankBefore(expiredBefore)
  }

  async function prune(limits: PruneLimits): Promise<void> {
    expiredBefore = Math.min(limits.endedBefore, limits.requestsBefore)
    await cache.prune(limits)
  }
}
