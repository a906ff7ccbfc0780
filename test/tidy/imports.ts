import { dirname, join, normalize } from 'node:path/posix'
import type { SourceFile } from './source-files.ts'

/** The modules that a file imports, loads later or gives on, as they are written there. */
export function importsOf({ text }: Pick<SourceFile, 'text'>): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name)
}

/** Of them the ones in the same part, as paths. */
export function relativeImports({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  return importsOf({ text })
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)))
}

/**
 * Which files a file imports, by path. An index.ts stands for the files that it lists, and a thread's
 * file counts as imported where its name is written.
 */
export function createImportGraph(files: readonly SourceFile[], manifests: readonly SourceFile[]) {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const exported = new Map(manifests.flatMap(exportsOf))
  const found = new Map<string, ReadonlySet<string>>()

  return function importedBy(path: string): ReadonlySet<string> {
    const known = found.get(path)
    if (known) return known
    const direct = directImports(path)
    const listed = direct.filter((one) => one.endsWith('/index.ts')).flatMap(listedIn)
    const all = new Set([...direct, ...listed])
    found.set(path, all)
    return all
  }

  function directImports(path: string): string[] {
    const file = byPath.get(path)
    if (!file) return []
    const packages = importsOf(file).flatMap((name) => exported.get(name) ?? [])
    const threads = [...file.text.matchAll(/'(?:\.\/)?([\w-]+-worker)(?:\.ts)?'/g)].map(
      ([, name]) => join(dirname(path), `${name}.ts`),
    )
    return [...relativeImports(file), ...packages, ...threads]
  }

  function listedIn(index: string): string[] {
    const listed = directImports(index)
    return [...listed, ...listed.filter((one) => one.endsWith('/index.ts')).flatMap(listedIn)]
  }
}

function exportsOf({ path, text }: SourceFile): [name: string, path: string][] {
  const { name, exports = {} } = JSON.parse(text) as { name?: string; exports?: object }
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'string')
    .map(([at, target]) => [join(name ?? '', at), join(dirname(path), target)])
}
