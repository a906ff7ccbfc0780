import { describe, expect, it } from 'vitest'
import { functionLengths } from './function-lengths.ts'
import { importsOf } from './imports.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70
const COLUMNS_MAX = 100

const files = sourceFiles(/^(apps|packages|test|bin)\/.*\.(ts|tsx)$/)
const production = files.filter(({ path }) => !isTest(path))
const everything = sourceFiles(/\.(ts|tsx|md|json|ya?ml|sh|go)$|^(bin|\.ci)\/|^Makefile$/)

function isTest(path: string): boolean {
  return /\.(test|contract)\.tsx?$|^test\/|^packages\/testkit\/|\/(scenarios|fixtures)\//.test(path)
}

/** Which of our own parts each part may import. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': [],
  'packages/contract': [],
  'packages/kube': [],
  'packages/daemon': ['@bourse/contract/printable', '@bourse/domain/quantity'],
  'packages/pki': [],
  'packages/client': ['@bourse/contract', '@bourse/kube', '@bourse/pki/protected-key'],
  'packages/testkit': [
    '@bourse/client',
    '@bourse/contract',
    '@bourse/domain',
    '@bourse/kube',
    '@bourse/pki',
  ],
  'apps/dashboard': ['@bourse/contract'],
  'apps/broker': [
    '@bourse/contract',
    '@bourse/daemon',
    '@bourse/domain',
    '@bourse/kube',
    '@bourse/pki/protected-key',
    '@bourse/pki/revocations',
  ],
  'apps/agent': [
    '@bourse/client',
    '@bourse/contract',
    '@bourse/daemon',
    '@bourse/domain/quantity',
    '@bourse/kube',
    '@bourse/pki/certificate-path',
    '@bourse/pki/revocations',
  ],
  'apps/cli': [
    '@bourse/agent',
    '@bourse/broker',
    '@bourse/client',
    '@bourse/contract',
    '@bourse/daemon',
    '@bourse/domain',
    '@bourse/kube',
    '@bourse/pki',
  ],
}

function offenders(found: readonly SourceFile[], offence: (file: SourceFile) => unknown) {
  return found.flatMap((file) => {
    const what = offence(file)
    return what === undefined || what === false ? [] : [`${file.path}: ${what}`]
  })
}

describe('tidy', () => {
  it('packages and apps import only along the arrows', () => {
    const strays = production.flatMap((file) => {
      const part = file.path.split('/').slice(0, 2).join('/')
      const allowed = arrows[part]
      if (!allowed) return [`${file.path}: ${part} is not in the table of arrows`]
      return importsOf(file)
        .filter((name) => name.startsWith('@bourse/'))
        .filter((name) => !allowed.some((one) => name === one || name.startsWith(`${one}/`)))
        .map((name) => `${file.path} imports ${name}`)
    })

    expect(strays).toEqual([])
  })

  it('no file reaches into another part by a relative path', () => {
    const strays = production.flatMap((file) => {
      const part = file.path.split('/').slice(0, 2).join('/')
      const depth = file.path.split('/').length - 3
      return importsOf(file)
        .filter((name) => name.startsWith('../'))
        .filter((name) => (name.match(/\.\.\//g)?.length ?? 0) > depth)
        .map((name) => `${file.path} imports ${name} from outside ${part}`)
    })

    expect(strays).toEqual([])
  })

  it('the domain has no dependencies, no I/O, no clock and no chance', () => {
    const domain = production.filter(({ path }) => path.startsWith('packages/domain/src/'))

    const impure = offenders(domain, ({ text, ...file }) => {
      const foreign = importsOf({ text, ...file }).find((name) => !name.startsWith('.'))
      if (foreign) return `imports ${foreign}`
      return /\b(Date\.now|new Date|Math\.random|performance\.|process\.|setTimeout|setInterval|fetch)\b/.exec(
        text,
      )?.[0]
    })

    expect(impure).toEqual([])
  })

  it('only tests use the testkit', () => {
    const strays = offenders(production, (file) =>
      importsOf(file).find((name) => name.startsWith('@bourse/testkit')),
    )

    expect(strays).toEqual([])
  })

  it('only tests use fixtures', () => {
    const strays = offenders(production, (file) =>
      importsOf(file).find((name) => name.includes('/fixtures/')),
    )

    expect(strays).toEqual([])
  })

  it('no test gives up after a second, as vi does: on a busy machine that says nothing', () => {
    const hasty = offenders(files, ({ text }) => /\bvi\.wait(For|Until)\(/.exec(text)?.[0])

    expect(hasty).toEqual([])
  })

  it(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
    expect(
      offenders(files, ({ lines }) => lines.length > FILE_LINES_MAX + 1 && lines.length - 1),
    ).toEqual([])
  })

  it(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = production.flatMap(({ path, lines }) =>
      functionLengths(lines)
        .filter(({ length }) => length > FUNCTION_LINES_MAX)
        .map(({ line, name, length }) => `${path}:${line} ${name} has ${length} lines`),
    )

    expect(long).toEqual([])
  })

  it('measures a function without the functions inside it', () => {
    const factory = [
      'function outer() {',
      '  return { inner }',
      '',
      '  function inner() {',
      '    work()',
      '  }',
      '}',
    ]

    expect(functionLengths(factory)).toEqual([
      { line: 4, name: 'inner', length: 3 },
      { line: 1, name: 'outer', length: 4 },
    ])
  })

  it(`code keeps to ${COLUMNS_MAX} columns, strings and addresses aside`, () => {
    const wide = production.flatMap(({ path, lines }) =>
      lines
        .map((line, at) => ({ line, at: at + 1 }))
        .filter(({ line }) => line.length > COLUMNS_MAX && !/['"`]|https?:/.test(line))
        .map(({ at }) => `${path}:${at}`),
    )

    expect(wide).toEqual([])
  })

  it('names say what a thing is: no utils, helpers, managers, services', () => {
    const names =
      /(^|[-/])(utils?|helpers?|common|shared|misc|manager|service|processor|dto)([-./]|$)/

    expect(files.map(({ path }) => path).filter((path) => names.test(path))).toEqual([])
  })

  it('nothing is skipped, left for later or waved through', () => {
    const loose =
      /\b(it|test|describe)\.(skip|todo|only)\b|\b(TODO|FIXME|XXX)\b|@ts-(ignore|expect-error)|\bas any\b/
    const others = files.filter(({ path }) => !path.startsWith('test/tidy/'))

    expect(offenders(others, ({ text }) => loose.exec(text)?.[0])).toEqual([])
  })

  it('test names are statements, without "should"', () => {
    expect(
      offenders(files, ({ text, path }) =>
        path.startsWith('test/tidy/')
          ? undefined
          : /\bit\(\s*['"`][^'"`]*\bshould\b/.exec(text)?.[0],
      ),
    ).toEqual([])
  })

  it('links in the documents lead somewhere', () => {
    const known = new Set(sourceFiles(/./).map(({ path }) => path))
    const broken = everything
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target = '']) => new URL(target, `file:///${path}`).pathname.slice(1))
          .filter(
            (target) => !known.has(target) && ![...known].some((one) => one.startsWith(target)),
          )
          .map((target) => `${path} links to ${target}`),
      )

    expect(broken).toEqual([])
  })

  it('every promise in SECURITY.md names a test that exists', () => {
    const [security] = sourceFiles(/^SECURITY\.md$/)
    const [, promised = ''] =
      /\n## What is promised[^\n]*\n([\s\S]*?)\n## /.exec(security?.text ?? '') ?? []
    const known = new Set(sourceFiles(/\.test\.tsx?$/).map(({ path }) => path))
    const promises = promised.split(/\n(?=- |### )/).filter((one) => one.startsWith('- '))
    const unkept = promises.filter((one) => {
      const named = [...one.matchAll(/\]\(([^)\s]+)\)/g)].map(([, path = '']) => path)
      return named.length === 0 || !named.every((path) => known.has(path))
    })

    expect(promised.match(/^### /gm)?.length).toBeGreaterThanOrEqual(8)
    expect(promises.length).toBeGreaterThan(15)
    expect(unkept).toEqual([])
  })
})
