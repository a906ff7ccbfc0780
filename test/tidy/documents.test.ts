import { describe, expect, it } from 'vitest'
import { createImportGraph } from './imports.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'
import { legsIn, lostIn } from './walks.ts'

const paths = sourceFiles(/./)
  .map(({ path }) => path)
  .join('\n')
const sources = sourceFiles(/^(apps|packages|test|tools)\/.*\.tsx?$/)
const documents = sourceFiles(
  /^(docs\/(architecture|recipes)|packages\/[\w-]+\/README|CONTRIBUTING)\.md$/,
)

const house = houseOf(sources, sourceFiles(/^(apps|packages)\/[\w-]+\/package\.json$/))

function houseOf(files: readonly SourceFile[], manifests: readonly SourceFile[]) {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return {
    textOf: (path: string) => texts.get(path),
    importedBy: createImportGraph(files, manifests),
  }
}

/** Code in a document, without its examples. */
function spansIn({ text }: SourceFile): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
}

/** Three words or more, the first with a capital or left out: `This broker has lost its lease …`. */
function isSentence(span: string): boolean {
  return /^[A-Z…][^ ]* [a-z][\w-]* \w/.test(span)
}

/** Its pieces between what differs each time: … and numbers. */
function piecesOf(sentence: string): string[] {
  return sentence.split(/…|\d+|[:;,]/).map((piece) => piece.trim())
}

/** A file or a folder; `<name>` and `*` stand for anything. */
function isPath(span: string): boolean {
  return /^[\w.<*-][\w./<>*-]*$/.test(span) && /\w\/|\.(ts|txt|md|yaml)$/.test(span)
}

function isThere(span: string): boolean {
  const form = span
    .replace(/\/$/, '')
    .replace(/[.]/g, '\\.')
    .replace(/<\w+>|\*/g, '[^/\\n]+')
  return new RegExp(`(^|/)${form}(/|$)`, 'm').test(paths)
}

/** A name that only code has: `emit` could be any word, `versionOf` and `EVENT_VERSION` could not. */
function isIdentifier(span: string): boolean {
  return /^\w+(\(\))?$/.test(span) && /[a-z][A-Z]|_|\(\)$/.test(span)
}

describe('the documents', () => {
  it('a walk can be followed: each file leads to the next, and has the functions named', () => {
    const [walks] = sourceFiles(/^docs\/walks\.md$/)
    const legs = legsIn(walks?.text ?? '')

    expect(legs.length).toBeGreaterThan(8)
    expect(legs.flatMap((leg) => lostIn(leg, house))).toEqual([])
  })

  it('name only files and folders that exist', () => {
    const lost = documents.flatMap((document) =>
      spansIn(document)
        .filter((span) => isPath(span) && !isThere(span))
        .map((span) => `${document.path}: ${span}`),
    )

    expect(documents.length).toBeGreaterThan(4)
    expect(lost).toEqual([])
  })

  it('name only functions, types and constants that exist', () => {
    const code = sources.map(({ text }) => text).join('\n')
    const isNamed = (span: string) => new RegExp(`\\b${span.replace('()', '')}\\b`).test(code)
    const lost = documents.flatMap((document) =>
      spansIn(document)
        .filter((span) => isIdentifier(span) && !isNamed(span))
        .map((span) => `${document.path}: ${span}`),
    )

    expect(lost).toEqual([])
  })
})

describe('a document for users', () => {
  const users = sourceFiles(/^(docs\/[\w-]+|README|SECURITY)\.md$/)
  const said = sourceFiles(/^(apps|packages|charts)\/.*\.(tsx?|yaml|tpl)$/)
    .filter(({ path }) => !/\.test\.|\/fixtures\//.test(path))
    .map(({ text }) => text.replace(/['"`]\s*\+\s*['"`]/g, '').replace(/\s+/g, ' '))
  const isSaid = (piece: string) => said.some((text) => text.includes(piece))

  it('quotes the sentences that the programs say', () => {
    const quotes = users.flatMap((document) => spansIn(document).filter(isSentence))

    expect(quotes.length).toBeGreaterThan(15)
    expect(quotes.filter((quote) => !piecesOf(quote).every(isSaid))).toEqual([])
  })
})

describe('docs/sizing.md', () => {
  const [sizing] = sourceFiles(/^docs\/sizing\.md$/)
  /** What is measured stands between the first cell and the link to where it is from. */
  const rows = (sizing?.lines ?? []).flatMap((line) => {
    const [, figures = '', source] =
      /^\|[^|]+\|(.+)\| \[[^\]]+\]\(([^)#]+)[^)]*\) \|$/.exec(line) ?? []
    return source === undefined ? [] : [{ figures: figures.split(/[|;]/), source }]
  })

  it('has the figures of the pages that it links to', () => {
    const lost = rows.flatMap(({ figures, source }) => {
      const [page] = sourceFiles(new RegExp(`^docs/${source.replaceAll('.', '\\.')}$`))
      return figures.filter((figure) => !page?.text.includes(figure.trim()))
    })

    expect(rows.length).toBeGreaterThan(15)
    expect(lost).toEqual([])
  })
})

describe('a walk', () => {
  const file = (path: string, text: string) => ({ path, text, lines: [] })
  const small = houseOf(
    [
      file('apps/broker/src/main.ts', "import { route } from './http/index.ts'"),
      file('apps/broker/src/http/index.ts', "export * from './route.ts'"),
      file('apps/broker/src/http/route.ts', "import '@bourse/domain/ledger'\nfunction route() {}"),
      file('packages/domain/src/ledger/index.ts', "export { decide } from './decide.ts'"),
      file('packages/domain/src/ledger/decide.ts', 'export const decide = () => {}'),
    ],
    [
      file(
        'packages/domain/package.json',
        '{ "name": "@bourse/domain", "exports": { "./ledger": "./src/ledger/index.ts" } }',
      ),
    ],
  )
  const lost = (text: string) => legsIn(`## Go\n${text}`).flatMap((leg) => lostIn(leg, small))

  it.each([
    ['is followed by its imports', '`main.ts` `http/route.ts` `domain/ledger/decide.ts`', []],
    ['is followed back to the file that wires it', '`http/route.ts` `main.ts`', []],
    ['finds a file beside the one before', '`http/index.ts` `route.ts`: `route()`', []],
    ['may go back to a file', '`http/route.ts` `main.ts` `http/route.ts`: `route()`', []],
    [
      'must name a file',
      '`route()` in words',
      ['Go: names no file', 'Go: undefined has no function route'],
    ],
    [
      'loses its reader at a file that is gone',
      '`main.ts` `http/gone.ts`',
      ['Go: there is no http/gone.ts'],
    ],
    [
      'loses its reader at a function that is elsewhere',
      '`main.ts`: `decide()`',
      ['Go: apps/broker/src/main.ts has no function decide'],
    ],
    [
      'loses its reader where a file is left out',
      '`main.ts` `domain/ledger/decide.ts`',
      ['Go: nothing before leads to packages/domain/src/ledger/decide.ts'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(lost(text)).toEqual(expected)
  })
})
