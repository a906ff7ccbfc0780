import type { ChooseRungs } from '../port/store.ts'

/** So many steps lead back through the history: an explanation replays at most one of them. */
const STEPS = 4

/**
 * Which snapshots to keep so that everything younger than `historyMs` can be replayed, without
 * keeping all of them: the one to begin from, then one for each quarter of the history, and the
 * newest. The beginning moves up as time goes by, because there is always a next rung.
 */
export const chooseRungs: ChooseRungs = (rungs, now, historyMs) => {
  const ascending = rungs.toSorted((one, other) => one.index - other.index)
  const first = ascending.findLast(({ at }) => at <= now - historyMs)
  const also: number[] = []
  let last = first
  for (const rung of ascending) {
    if (first && rung.index <= first.index) continue
    if (last && rung.at - last.at < historyMs / STEPS) continue
    also.push(rung.index)
    last = rung
  }
  return { keepFrom: first ? first.index + 1 : 1, also }
}

/** All of them: for a journal that itself keeps only as much as it has room for. */
export const keepAllRungs: ChooseRungs = (rungs) => ({
  keepFrom: 1,
  also: rungs.map(({ index }) => index),
})
