import { dirname } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { relativeImports } from './imports.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

/** A newcomer should take in a folder at a glance. */
const FILES_MAX = 20

const files = sourceFiles(/^(apps|packages|test)\/.*\.(ts|tsx)$/).filter(
  ({ path }) => !/\.(test|contract)\.tsx?$|\/fixtures\//.test(path),
)

/** What a package shows others, and where a program begins, may reach into every room. */
const isFront = (path: string) => /\/src\/(index|main)\.tsx?$/.test(path)

/** Each folder, with the folders that its files import from. */
function foldersImported(all: readonly SourceFile[]): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>()
  for (const file of all) {
    if (isFront(file.path)) continue
    const from = dirname(file.path)
    const others = imported.get(from) ?? new Set()
    for (const target of relativeImports(file))
      if (dirname(target) !== from) others.add(dirname(target))
    imported.set(from, others)
  }
  return imported
}

/** Every way round that leads back to where it began, shortest first; none where arrows go one way. */
function circles(imported: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const found: string[] = []
  for (const folder of imported.keys()) walk(folder, [])
  return found

  function walk(folder: string, way: readonly string[]): void {
    const at = way.indexOf(folder)
    if (at !== -1) found.push([...way.slice(at), folder].join(' -> '))
    if (at !== -1 || done.has(folder)) return
    for (const next of imported.get(folder) ?? []) walk(next, [...way, folder])
    done.add(folder)
  }
}

describe('rooms', () => {
  it(`no folder has more than ${FILES_MAX} source files`, () => {
    const sizes = new Map<string, number>()
    for (const { path } of files) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1)

    expect([...sizes].filter(([, size]) => size > FILES_MAX)).toEqual([])
  })

  it('no folders import each other, directly or by way of others', () => {
    expect(circles(foldersImported(files))).toEqual([])
  })

  it('finds folders that import each other', () => {
    const imports = (path: string, ...names: string[]) => {
      const text = names.map((name) => `import '${name}'`).join('\n')
      return { path, text, lines: [] }
    }
    const house = [
      imports('apps/one/src/a/x.ts', '../b/y.ts'),
      imports('apps/one/src/b/y.ts', '../c/z.ts'),
      imports('apps/one/src/c/z.ts', '../a/x.ts', './w.ts'),
      imports('apps/one/src/index.ts', './a/x.ts'),
    ]

    expect(circles(foldersImported(house))).toEqual([
      'apps/one/src/a -> apps/one/src/b -> apps/one/src/c -> apps/one/src/a',
    ])
  })

  it('every filter and every scorer has a test beside it', () => {
    const plugIns = sourceFiles(
      /^packages\/domain\/src\/placement\/(filters|scorers)\/[\w.-]+\.ts$/,
    )
    const paths = new Set(plugIns.map(({ path }) => path))
    const untested = [...paths].filter(
      (path) => /-(filter|scorer)\.ts$/.test(path) && !paths.has(path.replace(/\.ts$/, '.test.ts')),
    )

    expect(paths.size).toBeGreaterThan(8)
    expect(untested).toEqual([])
  })
})
