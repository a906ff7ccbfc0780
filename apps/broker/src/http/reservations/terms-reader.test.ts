import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createFieldCheck } from '../errors/field-check.ts'
import { createTermsReader } from './terms-reader.ts'

const HOUR_MS = 3_600_000
const termsOf = createTermsReader({ maxDurationMs: HOUR_MS })
const read = (body: Parameters<typeof termsOf>[0]) => {
  const check = createFieldCheck()
  return { ...termsOf(body, check), problems: check.problems }
}

describe('what many ask for alike', () => {
  it('is read once, for all callers and request ids', () => {
    const requestedResources = { cpu: '2', memory: '4Gi' }

    const first = read({ requestedResources, duration: '1h', requestId: 'one' })
    const second = read({ requestedResources: { ...requestedResources }, duration: '1h' })

    expect(second.terms).toBe(first.terms)
    expect(second.fingerprint).toBe(first.fingerprint)
  })

  it.each([
    { name: 'an amount', body: { requestedResources: { cpu: '3' } } },
    { name: 'the duration', body: { requestedResources: { cpu: '2' }, duration: '30m' } },
    { name: 'the priority', body: { requestedResources: { cpu: '2' }, priority: 1 } },
    { name: 'the target', body: { requestedResources: { cpu: '2' }, targetClusterID: 'paris' } },
    { name: 'the wish for one node', body: { requestedResources: { cpu: '2' }, oneNode: true } },
  ])('differs where $name differs', ({ body }) => {
    expect(read(body).fingerprint).not.toBe(read({ requestedResources: { cpu: '2' } }).fingerprint)
  })

  it('is told apart from what came before it, however often that came', () => {
    const usual = { requestedResources: { cpu: '2', memory: '4Gi' }, duration: '1h' }
    const others = [
      { ...usual, requestedResources: { cpu: '2' } },
      { ...usual, requestedResources: { cpu: '2', memory: '4Gi', gpu: '1' } },
      { ...usual, requestedResources: { cpu: '2', memory: '5Gi' } },
      { ...usual, requestedResources: JSON.parse('{"cpu":"2","memory":"4Gi","__proto__":"1"}') },
      { ...usual, duration: '30m' },
      { ...usual, priority: 1 },
      { ...usual, targetClusterID: 'paris' },
      { ...usual, oneNode: true },
    ]

    const told = others.map((other) => {
      const { terms } = [usual, usual, usual].map(read).at(-1) ?? read(usual)
      const fresh = createTermsReader({ maxDurationMs: HOUR_MS })(other, createFieldCheck())
      return { seen: read(other).terms, fresh: fresh.terms, terms }
    })

    for (const { seen, fresh, terms } of told) {
      expect(seen).toEqual(fresh)
      expect(seen).not.toEqual(terms)
    }
  })

  it('has the fingerprint of before where one node is not asked for', () => {
    const requestedResources = { cpu: '2' }
    const plain = read({ requestedResources }).fingerprint

    expect(read({ requestedResources, oneNode: false }).fingerprint).toBe(plain)
    expect(plain).toBe(hash('sha256', '[["cpu=2000"],0,null,null]', 'base64url'))
  })

  it('has one fingerprint, however its amounts are spelled and ordered', () => {
    const plain = read({ requestedResources: { cpu: '2', memory: '1Gi' } })
    const other = read({ requestedResources: { memory: '1024Mi', cpu: '2000m' } })

    expect(other.fingerprint).toBe(plain.fingerprint)
  })

  it('is complained about every time', () => {
    const body = { requestedResources: { cpu: '-2' }, duration: '2h' }

    const paths = [read(body), read(body)].map(({ problems }) => problems.map(({ path }) => path))

    expect(paths).toEqual([
      ['requestedResources.cpu', 'duration'],
      ['requestedResources.cpu', 'duration'],
    ])
  })
})
