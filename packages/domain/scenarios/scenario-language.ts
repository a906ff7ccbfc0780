import { parseDuration, parseResources, type Resources } from '../src/quantity/index.ts'

/** A line such as `reserve A from=rome cpu=3 -> reserved on paris (paris has 5950m cpu left)`. */
export type Line = Readonly<{
  number: number
  text: string
  verb: string
  words: readonly string[]
  named: Readonly<Record<string, string>>
  resources: Resources
  expected: string | undefined
  remark: string | undefined
}>

const PROPERTIES = new Set(['from', 'for', 'on', 'id', 'grace', 'by', 'currency'])

export function parseScenario(text: string): Line[] {
  return text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, number }) => parseLine(line, number))
}

function parseLine(text: string, number: number): Line {
  const match = /^(?<said>[^(]*?)(?:\s*->\s*(?<expected>[^(]*?))?\s*(?:\((?<remark>.*)\))?$/.exec(
    text,
  )
  const { said = '', expected, remark } = match?.groups ?? {}
  const [verb = '', ...rest] = said.trim().split(/\s+/)
  const pairs = rest.filter((word) => word.includes('=')).map(splitPair)
  return {
    number,
    text,
    verb,
    words: rest,
    named: Object.fromEntries(pairs.filter(([name]) => PROPERTIES.has(name))),
    resources: resourcesOf(pairs.filter(([name]) => !PROPERTIES.has(name))),
    expected: expected?.trim(),
    remark: remark?.trim(),
  }
}

/** The words after a heading, up to the next: `allocated cpu=2 used A cpu=2`. */
export function sectionOf({ words }: Line, heading: string, headings: readonly string[]) {
  const from = words.indexOf(heading)
  if (from < 0) return undefined
  const rest = words.slice(from + 1)
  const next = rest.findIndex((word) => headings.includes(word))
  return next < 0 ? rest : rest.slice(0, next)
}

export function pairsIn(words: readonly string[]): [string, string][] {
  return words.filter((word) => word.includes('=')).map(splitPair)
}

export function resourcesOf(pairs: readonly (readonly [string, string])[]): Resources {
  if (pairs.length === 0) return {}
  const parsed = parseResources(Object.fromEntries(pairs), 'supply')
  if (parsed.kind === 'bad') throw new Error(parsed.problems.map((one) => one.reason).join('; '))
  return parsed.resources
}

export function durationOf(text: string): number {
  const parsed = parseDuration(text)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  return parsed.durationMs
}

function splitPair(word: string): [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}
