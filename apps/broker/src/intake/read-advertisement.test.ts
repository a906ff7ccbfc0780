import type { AdvertisementInput } from '@bourse/contract'
import { describe, expect, it } from 'vitest'
import { createFieldCheck } from './field-check.ts'
import { readAdvertisement } from './read-advertisement.ts'

const TOO_DEEP = 'is nested deeper than 32 levels: send it flatter, or leave it out'

describe('readAdvertisement', () => {
  it.each([
    { name: 'liqo in lists', more: { liqo: lists(33) }, path: 'liqo' },
    { name: 'liqo in objects', more: { liqo: objects(33) }, path: 'liqo' },
    { name: 'liqo beyond any stack', more: { liqo: lists(100_000) }, path: 'liqo' },
    { name: 'a place in lists', more: { location: { at: lists(32) } }, path: 'location' },
    {
      name: 'a place beyond any stack',
      more: { location: { at: objects(100_000) } },
      path: 'location',
    },
  ])('refuses $name that is nested too deep, and keeps nothing of it', ({ more, path }) => {
    const { read, problems } = reading(more)

    expect(problems).toEqual([{ path, message: TOO_DEEP }])
    expect(read).not.toHaveProperty(path)
  })

  it.each([
    { name: 'lists', liqo: lists(32) },
    { name: 'objects', liqo: objects(32) },
    { name: 'a version', liqo: { version: 'v1.2.0', clusters: [{ id: 1 }, null] } },
  ])('carries liqo of $name as it is', ({ liqo }) => {
    const { read, problems } = reading({ liqo })

    expect(problems).toEqual([])
    expect(read.liqo).toBe(liqo)
  })
})

function reading(more: Partial<AdvertisementInput>) {
  const check = createFieldCheck()
  const body = { clusterID: 'paris', resources: { capacity: { cpu: '1' } }, ...more }
  const read = readAdvertisement(body, check)
  return { read, problems: check.problems }
}

/** So many lists, one in the other; made from text, since a loop of them reads worse. */
function lists(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels))
}

function objects(levels: number): unknown {
  return JSON.parse(`${'{"in":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`)
}
