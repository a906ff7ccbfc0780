import { decodeDecision, decodeEnded, encodeDecision, encodeEnded } from '../codec/history-codec.ts'
import { endOf } from '../codec/history-rows.ts'
import {
  type DecisionRecord,
  type History,
  type HistoryBatch,
  NO_HISTORY,
  type PruneLimits,
  type Tombstone,
} from '../port/history.ts'
import { chunksIn, openHistoryLog, type Piece } from './history-log.ts'
import { type HistorySpec, historyChunkKind, type Objects } from './kinds.ts'
import { gzipped, unpack } from './packed-text.ts'
import { createObjectStore } from './places.ts'

type Settings = Readonly<{
  objects: Objects
  namespace: string
  /** What answers questions: local, and filled anew at each start. */
  cache: History
  now?(): number
}>

export type KubernetesHistory = History & {
  /** Everything recorded so far is on the API server when this resolves: before each snapshot. */
  secure(): Promise<void>
  /** All that is on the API server, oldest first. */
  everything(): AsyncIterable<HistoryBatch>
}

/** A standby looks what the leader has secured when so much has gathered. */
const OUTBOX_BYTES_MAX = 4 * 1024 * 1024

/**
 * The history as a log on the API server, queried through a local cache. What was recorded since
 * the last snapshot need not be in the log: the journal still has the batches that it came from.
 */
export async function openKubernetesHistory(settings: Settings): Promise<KubernetesHistory> {
  const { objects, namespace, cache, now = Date.now } = settings
  const stored = createObjectStore<HistorySpec>({ objects, kind: historyChunkKind, namespace })
  const log = await openHistoryLog(stored, load)
  let outbox: Piece[] = []
  let expiredBefore = 0

  return {
    ...cache,
    // Batches leave the ring within minutes, and grounds must not go with them.
    findsDecisionsInJournal: false,
    record,
    recordedThrough,
    prune,
    secure,
    everything,
  }

  async function recordedThrough(): Promise<number> {
    return Math.max(log.through(), await cache.recordedThrough())
  }

  async function load(spec: HistorySpec): Promise<void> {
    for (const batch of decodeHistory(await unpack(spec))) await cache.record(batch)
  }

  async function* everything(): AsyncGenerator<HistoryBatch> {
    for (const { spec } of await chunksIn(stored)) yield* decodeHistory(await unpack(spec))
  }

  async function record(batch: HistoryBatch): Promise<void> {
    await cache.record(batch)
    const bytes = await gzipped(encodeHistory(batch))
    outbox.push({ bytes, through: batch.through, youngestAt: youngestIn(batch) })
    if (outbox.reduce((sum, piece) => sum + piece.bytes.length, 0) > OUTBOX_BYTES_MAX) await trim()
  }

  async function trim(): Promise<void> {
    await log.catchUp()
    // One that is through with batch N may hold some of N + 1. Securing it twice is harmless.
    outbox = outbox.filter(({ through }) => through >= log.through())
  }

  async function secure(): Promise<void> {
    await trim()
    await carryGroundsOn()
    const pieces = outbox
    if (pieces.length > 0) await log.append(pieces)
    outbox = outbox.filter((piece) => !pieces.includes(piece))
    await log.blankBefore(expiredBefore)
  }

  /** The grounds of what lives on are older than its end: the cache says which are wanted. */
  async function carryGroundsOn(): Promise<void> {
    for await (const spec of log.before(expiredBefore)) {
      const decisions: DecisionRecord[] = []
      for (const batch of decodeHistory(await unpack(spec)))
        for (const record of batch.decisions) {
          const { reservationId: id, index: decidedIndex } = record
          if (await cache.decision({ id, decidedIndex })) decisions.push(record)
        }
      if (decisions.length === 0) continue
      const bytes = await gzipped(encodeHistory({ ...NO_HISTORY, decisions }))
      outbox.push({ bytes, through: 0, youngestAt: now() })
    }
  }

  async function prune(limits: PruneLimits): Promise<void> {
    expiredBefore = Math.min(limits.endedBefore, limits.requestsBefore)
    await cache.prune(limits)
  }
}

type Line = Readonly<{
  through: number
  decisions: readonly string[]
  ended: readonly string[]
  tombstones: readonly Tombstone[]
}>

/** What has been, as one line of a log. */
function encodeHistory({ through, decisions, ended, tombstones }: HistoryBatch): string {
  const line: Line = {
    through,
    decisions: decisions.map(encodeDecision),
    ended: ended.map(encodeEnded),
    tombstones,
  }
  return `${JSON.stringify(line)}\n`
}

function decodeHistory(text: string): HistoryBatch[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      // The chunk's hash has been verified: this is what `encodeHistory` wrote.
      const { through, decisions, ended, tombstones } = JSON.parse(line) as Line
      return {
        through,
        decisions: decisions.map(decodeDecision),
        ended: ended.map(decodeEnded),
        tombstones,
      }
    })
}

/** When the youngest thing in it ended, so that it is known when all of it is past its time. */
function youngestIn({ decisions, ended, tombstones }: HistoryBatch): number {
  return Math.max(
    0,
    ...decisions.map(({ at }) => at),
    ...ended.map(endOf),
    ...tombstones.map(({ at }) => at),
  )
}
