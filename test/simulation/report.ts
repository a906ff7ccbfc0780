import type { Shape } from './parts/shape.ts'
import { transcript } from './parts/transcript.ts'
import { shrink } from './shrink.ts'
import type { Told } from './stories/ledger.ts'

export type Shrunk = Readonly<{ text: string; shape: Shape; told: Told }>

/** Everything to understand a failure and to see it again. */
export function reportOf(seed: number, shape: Shape, failed: Told): Shrunk {
  const { shape: smallest, told } = shrink(shape, failed.steps)
  const limits = JSON.stringify(smallest.limits)
  const text = [
    `Story ${seed} fails at step ${(failed.finding?.at ?? 0) + 1}. To see it again:`,
    `  make simulate SEED=${seed} STORIES=1   (KEEP=1 adds it to the corpus)`,
    `The shortest story that fails, under the limits ${limits}, with what the model says:`,
    transcript(told.steps, told.lines).replaceAll(/^/gm, '  '),
    `Broken: ${told.finding?.broken}`,
  ].join('\n')
  return { text, shape: smallest, told }
}
