import { aBoard, type Clusters } from '../board/board.fixture.ts'
import { codeOf, createVerdicts } from '../board/verdicts.ts'
import type { PlacementRequest } from '../decision/decision.ts'
import { strictFilter } from '../strict-rules.fixture.ts'
import type { Filter } from './filter.ts'

/** Which clusters a filter refuses when it is the only one, and why. */
export function refusedBy(
  filter: Filter,
  clusters: Clusters,
  request: Partial<PlacementRequest> = {},
) {
  const board = aBoard(clusters)
  const verdicts = createVerdicts()
  verdicts.begin(board.count)
  strictFilter(filter).refuse(
    board,
    { requester: 'rome', wanted: { cpu: 1_000n }, ...request },
    verdicts,
  )
  const refused = Array.from(verdicts.out.subarray(0, verdicts.outCount))
  return Object.fromEntries(
    refused.map((slot) => [board.clusterIds[slot], codeOf(verdicts.bySlot[slot] ?? 0)]),
  )
}
