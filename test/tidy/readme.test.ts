import { describe, expect, it } from 'vitest'
import { claims } from './readme-claims.ts'
import { createProof, figuresIn, partsOf } from './readme-figures.ts'
import { sourceFiles } from './source-files.ts'

const files = new Map(sourceFiles(/./).map(({ path, text }) => [path, text]))
const textOf = (path: string) => files.get(path) ?? ''

describe('README', () => {
  const parts = partsOf(textOf('README.md'))
  const proof = createProof(claims, textOf)

  it('says what the list of claims has, and each has its test', () => {
    const said = parts.map(({ text }) => text).join('\n')

    expect(claims.filter(({ says }) => !said.includes(says))).toEqual([])
    expect(claims.filter(({ test, named }) => !textOf(test).includes(named))).toEqual([])
  })

  it('has each figure from a table that it links to there, or in a claim', () => {
    expect(parts.flatMap(({ text }) => figuresIn(text)).length).toBeGreaterThan(30)
    expect(proof.unproven(parts)).toEqual([])
  })

  it('links to a file, or makes a claim that is tested, in every paragraph, item and row', () => {
    expect(parts.length).toBeGreaterThan(30)
    expect(proof.bare(parts)).toEqual([])
  })

  it('links only to what is there', () => {
    const paths = [...files.keys()]
    const isThere = (link: string) => paths.some((path) => `${path}/`.startsWith(`${link}/`))

    expect(parts.flatMap(({ links }) => links).filter((link) => !isThere(link))).toEqual([])
  })
})

it('the documents and the start screen of the demo name only commands that make has', () => {
  const targets = [...textOf('Makefile').matchAll(/^([a-z][a-z-]*):/gm)]
  const has = new Set(targets.map(([, target = '']) => target))
  const command = /(?:[`'(]|^|&& )make ([a-z][a-z-]+)/gm
  const named = sourceFiles(/^([A-Z]+|docs\/[\w-]+|charts\/.*)\.md$|\/start-screen\.ts$/).flatMap(
    ({ path, text }) => [...text.matchAll(command)].map(([, name = '']) => ({ path, name })),
  )

  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ name }) => !has.has(name))).toEqual([])
})

describe('a figure', () => {
  it.each([
    { text: '| p50 | 38 ms | 0.60 ms |', figures: ['38 ms', '0.60 ms'] },
    { text: '83-122 and 2,444/s, in 44ms.', figures: ['83', '122', '2,444/s', '44 ms'] },
    { text: 'after half a second', figures: ['half'] },
    { text: 'p99 of `--http-port=8443` in 0.1.0, 2Gi', figures: [] },
    { text: '[50 kills](docs/0001-x.md)', figures: ['50'] },
  ])('is found in $text', ({ text, figures }) => {
    expect(figuresIn(text)).toEqual(figures)
  })

  const table = '| p50 / p99 | 38 / 84 ms |\n\nAlso 9 ms.'
  const proof = createProof([{ says: 'within 5 s', test: '', named: '' }], () => table)

  it.each([
    { text: 'takes 38 ms ([all](a.md))', unproven: [], bare: [] },
    { text: '[All](a.md), below:\n\n| | p99 |\n|---|---|\n| it | 84 ms |', unproven: [], bare: [] },
    { text: 'takes 39 ms ([all](a.md))', unproven: ['39 ms'], bare: [] },
    { text: 'takes 9 ms, not in a table ([all](a.md))', unproven: ['9 ms'], bare: [] },
    { text: 'ends within 5 s', unproven: [], bare: [] },
    { text: 'is fast', unproven: [], bare: ['is fast'] },
    { text: '```sh\nmake   # two of them\n```', unproven: ['two'], bare: [] },
  ])('needs its table or its claim: $text', ({ text, unproven, bare }) => {
    const parts = partsOf(text)

    expect(proof.unproven(parts)).toEqual(unproven)
    expect(proof.bare(parts)).toEqual(bare)
  })
})
