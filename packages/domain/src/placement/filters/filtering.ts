import { type Board, Mark } from '../board/board.ts'
import { ABSENT, codeOf, createVerdicts, type Field } from '../board/verdicts.ts'
import type { PlacementRequest, RefusalCode } from '../decision/decision.ts'
import type { Filter } from './filter.ts'

/** Asks every filter about every cluster. The result is valid until the next call. */
export function createFiltering(filters: readonly Filter[]) {
  const verdicts = createVerdicts()

  return function filterAll(board: Board, request: PlacementRequest): Field {
    const { marks, markedCount, count } = board
    verdicts.begin(count)
    for (let slot = 0; markedCount > 0 && slot < count; slot += 1)
      if (((marks[slot] ?? 0) & Mark.absent) !== 0) verdicts.refuse(slot, ABSENT)
    for (const filter of filters) filter.refuse(board, request, verdicts)
    return { board, request, verdicts }
  }
}

/** Counts the refused by reason. `own`: a requester that is counted here as refused. */
export function countRefusals({ verdicts: { bySlot, out, outCount } }: Field, own?: number) {
  const counts: Partial<Record<RefusalCode, number>> = own === undefined ? {} : { IsRequester: 1 }
  for (let at = 0; at < outCount; at += 1) {
    const slot = out[at] ?? 0
    const code = slot === own ? undefined : codeOf(bySlot[slot] ?? ABSENT)
    if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}
