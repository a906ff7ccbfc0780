import { describe, expect, it } from 'vitest'
import {
  type Needs,
  namespaceOffloading,
  needsIn,
  type Wanted,
} from '../liqo/namespace-offloading.ts'
import { withNeed, withoutNeed } from './needs.ts'

const both = 'LocalAndRemote'
const object = (needs: Needs, more: Partial<Wanted> = {}) =>
  namespaceOffloading('shop', {
    needs,
    clusters: Object.values(needs).map(({ cluster }) => cluster),
    strategy: both,
    ...more,
  })

const atParis = { 'rsv-1': { cluster: 'paris', strategy: both } } as const
const twiceAtParis = { ...atParis, 'rsv-2': { cluster: 'paris', strategy: both } } as const
const atBoth = { ...atParis, 'rsv-3': { cluster: 'lyon', strategy: both } } as const

it('selects clusters whole, each once, and notes who needs it', () => {
  const made = object(twiceAtParis)

  expect(made.spec).toEqual({
    namespaceMappingStrategy: 'DefaultName',
    podOffloadingStrategy: 'LocalAndRemote',
    clusterSelector: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'liqo.io/remote-cluster-id', operator: 'In', values: ['paris'] },
          ],
        },
      ],
    },
  })
  expect(needsIn(made)).toEqual(twiceAtParis)
})

it('reads nothing from notes that are none', () => {
  const metadata = {
    name: 'offloading',
    annotations: { 'bourse.dev/reservations': 'a b=c =d=Local' },
  }

  expect(needsIn({ ...object({}), metadata })).toEqual({})
})

describe('a reservation that needs a namespace', () => {
  it.each([
    {
      name: 'is the first',
      before: undefined,
      need: { cluster: 'paris', strategy: 'Remote' } as const,
      clusters: ['paris'],
      strategy: 'Remote',
    },
    {
      name: 'adds its cluster to those of others',
      before: object(atParis),
      need: { cluster: 'lyon', strategy: both } as const,
      clusters: ['paris', 'paris', 'lyon'],
      strategy: both,
    },
    {
      name: 'does not change the strategy of one that was there before',
      before: object(atParis),
      need: { cluster: 'paris', strategy: 'Remote' } as const,
      clusters: ['paris', 'paris', 'paris'],
      strategy: both,
    },
    {
      name: 'leaves selected where pods linger',
      before: object(atParis, { clusters: ['lyon', 'paris'] }),
      need: { cluster: 'paris', strategy: both } as const,
      clusters: ['lyon', 'paris', 'paris', 'paris'],
      strategy: both,
    },
    {
      name: 'corrects a strategy that no reservation asked for',
      before: object(atParis, { strategy: 'Local' }),
      need: { cluster: 'paris', strategy: 'Remote' } as const,
      clusters: ['paris', 'paris', 'paris'],
      strategy: both,
    },
  ])('$name', ({ before, need, clusters, strategy }) => {
    const wanted = withNeed(before, 'rsv-9', need)

    expect(wanted).toMatchObject({ clusters, strategy, needs: { 'rsv-9': need } })
  })
})

describe('a reservation that ends', () => {
  const always = () => true

  it.each([
    { name: 'was the last', before: atParis, busy: [], left: undefined },
    { name: 'leaves another at the same cluster', before: twiceAtParis, busy: [], left: ['paris'] },
    { name: 'narrows to the clusters of others', before: atBoth, busy: [], left: ['lyon'] },
    { name: 'leaves it where pods still run', before: atParis, busy: ['paris'], left: ['paris'] },
    { name: 'takes no notice of pods elsewhere', before: atParis, busy: ['oslo'], left: undefined },
  ])('$name', ({ before, busy, left }) => {
    const wanted = withoutNeed(object(before), 'rsv-1', { isThere: always, busy })

    expect(wanted?.clusters).toEqual(left)
    expect(Object.keys(wanted?.needs ?? {})).not.toContain('rsv-1')
  })

  it('does not count reservations that are gone without a word', () => {
    const isThere = (id: string) => id !== 'rsv-2'

    expect(withoutNeed(object(twiceAtParis), 'rsv-1', { isThere, busy: [] })).toBeUndefined()
  })
})
