import type { Resources } from '../../quantity/resources.ts'
import { aBoard, type Clusters } from '../board/board.fixture.ts'
import { createFiltering } from '../filters/filtering.ts'
import { filters } from '../filters/index.ts'
import { strictScorer } from '../strict-rules.fixture.ts'
import type { Scorer } from './scorer.ts'

/** Clusters that every filter has been asked about, and what a scorer gives to each of them. */
export function scoredBy(lenient: Scorer, clusters: Clusters, wanted: Resources) {
  const scorer = strictScorer(lenient)
  const board = aBoard(clusters)
  const field = createFiltering(filters)(board, { requester: '', wanted })
  const scores = new Float64Array(board.count)
  const applies = scorer.score(field, scores)

  return {
    board,
    field,
    applies,
    scoreOf: (clusterId: string) => scores[board.slotOf(clusterId) ?? -1],
    rescore: (clusterId: string) => scorer.rescore?.(field, scores, board.slotOf(clusterId) ?? -1),
    affectsOthers: (clusterId: string) =>
      scorer.affectsOthers?.(field, scores, board.slotOf(clusterId) ?? -1),
  }
}
