import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path/posix'
import { workspaces } from './workspaces.ts'

const SPECIFIER = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g

/** Writes the types that the entries need to `<out>/types`; returns what they import of others. */
export function writeTypes(entries: readonly string[], out: string): readonly string[] {
  const { sourceOf } = workspaces()
  const made = mkdtempSync(join(tmpdir(), 'bourse-client-types-'))
  const others = new Set<string>()
  try {
    execFileSync(
      'node_modules/.bin/tsc',
      ['-p', 'packages/client/tsconfig.types.json', '--outDir', made],
      {
        stdio: 'inherit',
      },
    )
    follow(entries)
  } finally {
    rmSync(made, { recursive: true })
  }
  return [...others]

  /** An array grows as it is walked: each file adds those that it imports. */
  function follow(sources: readonly string[]): void {
    const all = [...sources]
    for (const source of all)
      for (const found of copy(source)) if (!all.includes(found)) all.push(found)
  }

  /** Copies the types of a source, imports made relative; returns the sources that it imports. */
  function copy(source: string): string[] {
    const found: string[] = []
    const to = join(out, 'types', typesOf(source))
    const text = readFileSync(join(made, typesOf(source)), 'utf8')
    const moved = text.replaceAll(SPECIFIER, (all, before, quote, specifier) => {
      const target = targetOf(specifier, source)
      if (target === undefined) others.add(specifier)
      if (target === undefined) return all
      found.push(target)
      return `${before}${quote}${importOf(target, source)}${quote}`
    })
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, moved)
    return found
  }

  function targetOf(specifier: string, source: string): string | undefined {
    if (specifier.startsWith('@bourse/')) return sourceOf(specifier)
    return specifier.startsWith('.') ? join(dirname(source), specifier) : undefined
  }
}

function typesOf(source: string): string {
  return source.replace(/\.ts$/, '.d.ts')
}

function importOf(target: string, source: string): string {
  const path = relative(dirname(source), target).replace(/\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}
