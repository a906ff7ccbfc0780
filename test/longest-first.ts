import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const BUDGET = /^\/\/ Budget: (\d+) seconds/
/** Of a file that says nothing. */
const USUAL_SECONDS = 30

/**
 * The files with the largest budgets come first. On a fresh clone vitest knows only how long their
 * text is, and a short one that takes minutes would run alone at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    const groupOf = ({ project }: TestSpecification) => project.name
    return usual.toSorted((a, b) =>
      groupOf(a) === groupOf(b) ? secondsOf(b.moduleId) - secondsOf(a.moduleId) : 0,
    )
  }
}

function secondsOf(path: string): number {
  const [, seconds] = BUDGET.exec(readFileSync(path, 'utf8')) ?? []
  return Number(seconds ?? USUAL_SECONDS)
}
