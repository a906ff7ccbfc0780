import { dirname, join } from 'node:path/posix'

/** A part of a walk within one process: its files and functions in the order of the text. */
export type Leg = Readonly<{ heading: string; stops: readonly Stop[] }>
type Stop = Readonly<{ kind: 'file' | 'function'; name: string }>

type House = Readonly<{
  /** Undefined: there is no such file. */
  textOf(path: string): string | undefined
  importedBy(path: string): ReadonlySet<string>
}>

/** What a path in a walk may begin with, instead of the whole path. */
const BELOW: readonly [short: string, path: string][] = [
  ['apps/', 'apps/'],
  ['agent/', 'apps/agent/src/'],
  ['client/', 'packages/client/src/'],
  ['contract/', 'packages/contract/src/'],
  ['domain/', 'packages/domain/src/'],
  ['', 'apps/broker/src/'],
]

/** A leg begins with each heading. Files end in .ts, functions in (). */
export function legsIn(markdown: string): Leg[] {
  const [, ...sections] = markdown.split(/^#{2,3} /m)
  return sections.filter(hasText).map((section) => {
    const [heading = '', ...lines] = section.split('\n')
    const spans = [...lines.join('\n').matchAll(/`([\w./-]+\.ts|\w+\(\))`/g)]
    return {
      heading,
      stops: spans.map(([, name = '']) =>
        name.endsWith('()')
          ? { kind: 'function', name: name.slice(0, -2) }
          : { kind: 'file', name },
      ),
    }
  })
}

/** A heading may stand over others only. */
function hasText(section: string): boolean {
  return section.includes('\n') && section.replace(/^.*\n/, '').trim() !== ''
}

/**
 * Where a reader of a leg would be lost. A file is below one of the folders that the walks shorten,
 * or beside the file named before it. It imports a file that was named before, or is imported by
 * one. A function is defined in the file that was named last.
 */
export function lostIn({ heading, stops }: Leg, { textOf, importedBy }: House): string[] {
  const lost: string[] = []
  const seen: string[] = []
  if (!stops.some(({ kind }) => kind === 'file')) lost.push('names no file')
  for (const { kind, name } of stops) {
    const last = seen.at(-1)
    if (kind === 'file') enter(name, last)
    else if (last === undefined || !defines(textOf(last) ?? '', name))
      lost.push(`${last} has no function ${name}`)
  }
  return lost.map((what) => `${heading}: ${what}`)

  function enter(name: string, last: string | undefined): void {
    const path = pathsOf(name, last).find((one) => textOf(one) !== undefined)
    if (path === undefined) {
      lost.push(`there is no ${name}`)
      return
    }
    const isLinked = (one: string) =>
      one === path || importedBy(one).has(path) || importedBy(path).has(one)
    if (seen.length > 0 && !seen.some(isLinked)) lost.push(`nothing before leads to ${path}`)
    seen.push(path)
  }
}

function pathsOf(name: string, last: string | undefined): string[] {
  const below = BELOW.filter(([short]) => name.startsWith(short)).map(
    ([short, path]) => `${path}${name.slice(short.length)}`,
  )
  return [...below, ...(last === undefined ? [] : [join(dirname(last), name)])]
}

/** As a function, a constant, or a member of an object. */
function defines(text: string, name: string): boolean {
  return new RegExp(
    `\\b(function\\*?|const) ${name}\\b|^\\s*(async )?\\*?${name}(<.*>)?\\((.*\\{)?$|^\\s*${name}[:,]`,
    'm',
  ).test(text)
}
