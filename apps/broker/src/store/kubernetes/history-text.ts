import { decodeDecision, decodeEnded, encodeDecision, encodeEnded } from '../codec/history-codec.ts'
import type { HistoryBatch, Tombstone } from '../port/history.ts'

type Line = Readonly<{
  through: number
  decisions: readonly string[]
  ended: readonly string[]
  tombstones: readonly Tombstone[]
}>

/** What has been, as one line of a log. */
export function encodeHistory({ through, decisions, ended, tombstones }: HistoryBatch): string {
  const line: Line = {
    through,
    decisions: decisions.map(encodeDecision),
    ended: ended.map(encodeEnded),
    tombstones,
  }
  return `${JSON.stringify(line)}\n`
}

export function decodeHistory(text: string): HistoryBatch[] {
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
export function youngestIn({ decisions, ended, tombstones }: HistoryBatch): number {
  return Math.max(
    0,
    ...decisions.map(({ at }) => at),
    ...ended.map(({ endedAt, createdAt }) => endedAt ?? createdAt),
    ...tombstones.map(({ at }) => at),
  )
}
