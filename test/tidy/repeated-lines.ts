import type { SourceFile } from './source-files.ts'

type Line = Readonly<{ text: string; at: number }>
type Place = Readonly<{ path: string; at: number }>

/** So many lines in a row are written once. */
export const RUN_LINES = 8

/** A whole statement, on one line or several: import, or a list of another file's exports. */
const IMPORT = /^(import|export)\b[^'"`;=()]*'[^']*'(\s+with\s+\{[^}]*\})?;?$/gm

/**
 * Runs of lines that stand in two files, where each begins. Lines are compared without the blanks
 * at their ends. Empty lines and imports are left out, and a run counts only if one of its lines
 * has a word: closing brackets alone do not.
 */
export function repeatedRuns(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  const firstAt = new Map<string, Place>()
  const found = new Map<string, string>()
  for (const { path, text } of files)
    for (const { key, at } of runsIn(text)) {
      const first = firstAt.get(key) ?? { path, at }
      firstAt.set(key, first)
      const pair = `${first.path} ${path}`
      // Of a longer run its beginning is enough.
      if (first.path !== path && !found.has(pair))
        found.set(pair, `${first.path}:${first.at} and ${path}:${at}`)
    }
  return [...found.values()]
}

function* runsIn(text: string): Generator<Readonly<{ key: string; at: number }>> {
  const lines = linesIn(text)
  for (let from = 0; from + RUN_LINES <= lines.length; from++) {
    const run = lines.slice(from, from + RUN_LINES)
    const key = run.map((line) => line.text).join('\n')
    if (/\w/.test(key)) yield { key, at: run[0]?.at ?? 0 }
  }
}

function linesIn(text: string): Line[] {
  return text
    .replace(IMPORT, (statement) => statement.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line, before) => ({ text: line.trim(), at: before + 1 }))
    .filter((line) => line.text !== '')
}
