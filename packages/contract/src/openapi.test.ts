import { describe, expect, it } from 'vitest'
import { apiDocs } from './api-docs.ts'
import { openApiDocument } from './openapi.ts'

describe('openApiDocument', () => {
  const text = JSON.stringify(openApiDocument('1.2.3'))

  it('defines every schema it refers to', () => {
    const defined = Object.keys(JSON.parse(text).components.schemas)

    const referred = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name)

    expect(defined).toEqual(expect.arrayContaining([...new Set(referred)]))
    expect(text).not.toContain('#/$defs')
  })

  it('has every endpoint with its success, its problems and the headers of every answer', () => {
    const { paths } = JSON.parse(text)

    const reserve = paths['/reservations'].post

    expect(Object.keys(reserve.responses)).toEqual([
      '200',
      '201',
      '400',
      '403',
      '409',
      '422',
      '429',
      '503',
    ])
    expect(Object.keys(reserve.responses['409'].headers)).toEqual([
      'Bourse-Ledger',
      'Bourse-Index',
      'Bourse-Term',
    ])
  })
})

describe('apiDocs', () => {
  it('names every endpoint and every problem for a reader', () => {
    const docs = apiDocs()

    expect(docs).toContain('### DELETE /reservations/{id}')
    expect(docs).toContain('| `NoClusterFits` | 409 |')
    expect(docs).not.toContain('undefined')
  })
})
