import { describe, expect, it } from 'vitest'
import { RUN_LINES, repeatedRuns } from './repeated-lines.ts'
import { sourceFiles } from './source-files.ts'

const lines = (count: number, first = 1) =>
  Array.from({ length: count }, (_, nth) => `  work(${first + nth})`).join('\n')
const file = (path: string, text: string) => ({ path, text })

describe('repeated lines', () => {
  it(`no two source files share ${RUN_LINES} lines in a row`, () => {
    const sources = sourceFiles(/^(apps|packages|tools)\/.*\.tsx?$/).filter(
      ({ path }) => !/\.(test|contract)\.tsx?$|\/fixtures\//.test(path),
    )

    expect(sources.length).toBeGreaterThan(500)
    expect(repeatedRuns(sources)).toEqual([])
  })

  it('finds a run once, where it begins, with other blanks and empty lines in between', () => {
    const spread = lines(9).replaceAll('\n', '\n\n    ')

    expect(repeatedRuns([file('a.ts', `x\n${lines(9)}`), file('b.ts', `y\ny\n${spread}`)])).toEqual(
      ['a.ts:2 and b.ts:3'],
    )
  })

  it.each([
    ['seven lines', lines(7), lines(7)],
    ['eight lines in another order', lines(8), `${lines(4, 5)}\n${lines(4)}`],
    ['imports', `import {\n${lines(9)}\n} from './x.ts'`.replace(/\(\d\)/g, ','), ''],
    ['closing brackets', '}\n'.repeat(9), '}\n'.repeat(9)],
  ])('%s are not a run', (_name, one, other) => {
    expect(repeatedRuns([file('a.ts', one), file('b.ts', other || one)])).toEqual([])
  })

  it('lines that one file repeats itself are not a run between files', () => {
    expect(repeatedRuns([file('a.ts', `${lines(8)}\n${lines(8)}`)])).toEqual([])
  })
})
