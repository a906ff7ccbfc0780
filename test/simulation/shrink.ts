import type { Shape } from './parts/shape.ts'
import type { Step } from './parts/step.ts'
import { retell, type Told } from './stories/ledger.ts'

/** Retelling stops after so many: a story that shrinks no more is short enough. */
const TRIES_MAX = 5_000

/** Drops steps, features and lowered limits while the story still fails. */
export function shrink(shape: Shape, failed: readonly Step[]): { shape: Shape; told: Told } {
  let told = retell(shape, failed)
  let smallest = { shape, told }
  let tries = 0
  for (const name of Object.keys(shape.limits)) {
    const { [name as keyof Shape['limits']]: _usual, ...limits } = smallest.shape.limits
    attempt({ ...smallest.shape, limits }, told.steps)
  }
  for (let size = told.steps.length >> 1; size >= 1; size >>= 1)
    while (dropAll(size) && tries < TRIES_MAX);
  return smallest

  /** Whether any piece of this size could be dropped. */
  function dropAll(size: number): boolean {
    const before = told.steps.length
    for (let from = told.steps.length - size; from >= 0 && tries < TRIES_MAX; from -= size)
      attempt(smallest.shape, told.steps.toSpliced(from, size))
    return told.steps.length < before
  }

  function attempt(next: Shape, steps: readonly Step[]): void {
    tries++
    const again = retell(next, steps)
    if (!again.finding) return
    told = again
    smallest = { shape: next, told }
  }
}
