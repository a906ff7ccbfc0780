import { describe, expect, it } from 'vitest'
import { playScenario } from '../../packages/domain/scenarios/play-scenario.ts'
import { parseScenario } from '../../packages/domain/scenarios/scenario-language.ts'
import { readCorpus } from './corpus.ts'
import { addCounts, emptyCells, table } from './coverage.ts'
import { shapeOf } from './parts/shape.ts'
import { isPlain, transcript } from './parts/transcript.ts'
import { reportOf } from './report.ts'
import { ledgerStory, retell } from './stories/ledger.ts'

/**
 * More than a million steps in all, at the same seeds each time; `make check` takes an eighth of
 * them, `make simulate` others.
 */
const STORIES = Number(process.env.STORIES || 512)
const STEPS = 2_000
/** It is one long sum, 40 s of a quiet core: on a busy machine its time says nothing. */
const TIME_MS = 30 * 60_000

/** What a scenario file can tell. */
const PLAIN = [
  ...(['cordons', 'decommissions', 'durations', 'peering', 'pins', 'renewals'] as const),
  ...(['request ids', 'withdrawals', 'agreed prices'] as const),
]

describe('the ledger and a naive model of it, side by side', () => {
  it.each(readCorpus())('agree on a story that failed once: $name', ({ shape, steps }) => {
    expect(retell(shape, steps).finding).toBeUndefined()
  })

  it('tell the same story from the same seed', () => {
    for (const seed of [3, 10, 62]) {
      const first = ledgerStory(seed, 500)

      expect(ledgerStory(seed, 500).hash).toBe(first.hash)
      expect(retell(shapeOf(seed), first.steps).hash).toBe(first.hash)
    }
  })

  it('tell it in the language of scenario files', () => {
    for (const seed of [1, 2, 3]) {
      const shape = { ...shapeOf(seed), has: new Set(PLAIN), weights: { resources: 70, cost: 30 } }
      const plain = ledgerStory(seed, 1_000, shape).steps.filter(isPlain)
      const { steps, lines, finding } = retell(shape, plain)

      expect(finding).toBeUndefined()
      playScenario(parseScenario(transcript(steps, lines)))
    }
  })

  it(`agree for ${STORIES * STEPS} steps, in every command and every end`, {
    timeout: TIME_MS,
  }, () => {
    const counts = new Map<string, number>()
    let steps = 0
    for (let seed = 1; seed <= STORIES; seed++) {
      const told = ledgerStory(seed, STEPS)
      if (told.finding) expect.fail(reportOf(seed, shapeOf(seed), told).text)
      steps += told.steps.length
      addCounts(counts, told.counts)
    }
    console.log(`${steps} steps, seeds 1 to ${STORIES}\n${table(counts)}`)

    expect(emptyCells(counts)).toEqual([])
  })
})
