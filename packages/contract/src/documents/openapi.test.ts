import { describe, expect, it } from 'vitest'
import { apiDocs } from './api-docs.ts'
import { openApiDocument, openApiText } from './openapi.ts'

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
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ])
    expect(Object.keys(reserve.responses['409'].headers)).toEqual([
      'Bourse-Ledger',
      'Bourse-Index',
      'Bourse-Term',
      'Bourse-Proof',
    ])
  })

  it('says at every endpoint what any may answer, and of bodies only where one is taken', () => {
    const { paths } = JSON.parse(text)

    const { get, post } = paths['/reservations']

    expect(post.responses['403'].description).toContain('CertificateExpired')
    expect(get.responses['403'].description).toContain('CertificateExpired')
    expect(post.responses['400'].description).toContain('MalformedJson')
    expect(get.responses['400'].description).not.toContain('MalformedJson')
    expect(Object.keys(get.responses)).not.toContain('413')
  })
})

describe('apiDocs', () => {
  it('names every endpoint and every problem for a reader', () => {
    const docs = apiDocs()

    expect(docs).toContain('### DELETE /reservations/{id}')
    expect(docs).toContain('| `NoClusterFits` | 409 |')
    expect(docs).toMatch(/Any endpoint may answer [^.]*`CertificateExpired`/)
    expect(docs).toMatch(/that takes a body also [^.]*`BodyTooLarge`/)
    expect(docs).not.toContain('undefined')
  })
})

describe('openApiText', () => {
  it('is the same document, and has no character that would make it slow to send', () => {
    const text = openApiText('1.2.3')

    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiDocument('1.2.3'))))
    expect(Buffer.byteLength(text)).toBe(text.length)
  })
})
