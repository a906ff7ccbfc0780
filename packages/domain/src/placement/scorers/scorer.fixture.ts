import type { Resources } from '../../quantity/resources.ts'
import { aBoard, type Clusters } from '../board/board.fixture.ts'
import { createSieve } from '../filters/filtering.ts'
import type { Scorer } from './scorer.ts'

/** Clusters that every filter has been asked about, and what a scorer gives to each of them. */
export function scoredBy(scorer: Scorer, clusters: Clusters, wanted: Resources) {
  const board = aBoard(clusters)
  const field = createSieve()(board, { requester: '', wanted })
  const scores = new Float64Array(board.count)
  const hasSpoken = scorer.score(field, scores)

  return {
    board,
    field,
    hasSpoken,
    scoreOf: (clusterId: string) => scores[board.slotOf(clusterId) ?? -1],
    rescore: (clusterId: string) => scorer.rescore?.(field, scores, board.slotOf(clusterId) ?? -1),
    leansOn: (clusterId: string) => scorer.leansOn?.(field, scores, board.slotOf(clusterId) ?? -1),
  }
}
