import { describe, expect, it } from 'vitest'
import { parseResources } from './parse-resources.ts'
import { describeResources, printResources, readablePair } from './print-resources.ts'

const GIB = 2n ** 30n

describe('parseResources', () => {
  it('counts cpu in thousandths and the rest in whole units, sorted by name', () => {
    const parsed = parseResources({ pods: 110, memory: '4Gi', cpu: '1.5' }, 'supply')

    expect(parsed).toEqual({ kind: 'ok', resources: { cpu: 1_500n, memory: 4n * GIB, pods: 110n } })
    expect(JSON.stringify(Object.keys('resources' in parsed ? parsed.resources : {}))).toBe(
      '["cpu","memory","pods"]',
    )
  })

  it('makes aliases canonical and remembers them for the answer', () => {
    const parsed = parseResources({ cpu: '1', gpu: '2', storage: '1Gi' }, 'wanted')

    expect(parsed).toEqual({
      kind: 'ok',
      resources: { cpu: 1_000n, 'ephemeral-storage': GIB, 'nvidia.com/gpu': 2n },
      aliases: ['gpu', 'storage'],
    })
  })

  it('takes an alias beside its canonical name when both say the same', () => {
    const parsed = parseResources({ gpu: '2', 'nvidia.com/gpu': '2000m' }, 'wanted')

    expect(parsed).toMatchObject({ kind: 'ok', resources: { 'nvidia.com/gpu': 2n } })
  })

  it('rounds supply down, wanted and allocated up', () => {
    const written = { cpu: '0.0005', memory: '0.5' }

    expect(parseResources(written, 'supply')).toMatchObject({ resources: { cpu: 0n, memory: 0n } })
    expect(parseResources(written, 'wanted')).toMatchObject({ resources: { cpu: 1n, memory: 1n } })
    expect(parseResources(written, 'allocated')).toMatchObject({
      resources: { cpu: 1n, memory: 1n },
    })
  })

  it('reads one text by what it counts and stands for, independently of earlier texts', () => {
    const amounts = () => [
      parseResources({ cpu: '1.5', memory: '1.5' }, 'supply'),
      parseResources({ cpu: '1.5', memory: '1.5' }, 'allocated'),
    ]
    const expected = [
      { kind: 'ok', resources: { cpu: 1_500n, memory: 1n } },
      { kind: 'ok', resources: { cpu: 1_500n, memory: 2n } },
    ]

    expect([amounts(), amounts()]).toEqual([expected, expected])
  })

  it('stays right beyond as many quantities as are remembered', () => {
    const texts = Array.from({ length: 5_000 }, (_, at) => `${at}`)

    const read = [...texts, ...texts].map((memory) => parseResources({ memory }, 'supply'))

    expect(read).toEqual(
      [...texts, ...texts].map((text) => ({ kind: 'ok', resources: { memory: BigInt(text) } })),
    )
  })

  it('keeps a zero that is advertised and drops one that is wanted', () => {
    const written = { cpu: '1', gpu: '0' }

    expect(parseResources(written, 'supply')).toMatchObject({
      resources: { cpu: 1_000n, 'nvidia.com/gpu': 0n },
    })
    expect(parseResources(written, 'wanted')).toMatchObject({ resources: { cpu: 1_000n } })
  })

  it.each([
    { written: { gpu: '1', 'nvidia.com/gpu': '2' }, name: 'nvidia.com/gpu', reason: 'from gpu' },
    { written: { gpu: '0.5' }, name: 'gpu', reason: 'whole pieces' },
    { written: { 'example.com/fpga': '1500m' }, name: 'example.com/fpga', reason: 'whole pieces' },
    { written: { cpu: '-1' }, name: 'cpu', reason: 'is negative' },
    { written: { cpu: -1 }, name: 'cpu', reason: 'is negative' },
    { written: { cpu: Number.NaN }, name: 'cpu', reason: 'is not a quantity' },
    { written: { memory: '' }, name: 'memory', reason: 'missing' },
    { written: { memory: '8Ei' }, name: 'memory', reason: 'too large' },
    { written: { constructor: '1' }, name: 'constructor', reason: 'is not a resource' },
    { written: JSON.parse('{"__proto__":"1"}'), name: '__proto__', reason: 'is not a resource' },
    { written: { Memory: '1' }, name: 'Memory', reason: 'is not a resource' },
    { written: { 'hugepages-': '1' }, name: 'hugepages-', reason: 'is not a resource' },
    { written: { '/gpu': '1' }, name: '/gpu', reason: 'is not a resource' },
    { written: { 'a.com/': '1' }, name: 'a.com/', reason: 'is not a resource' },
    { written: { 'a.com/b/c': '1' }, name: 'a.com/b/c', reason: 'is not a resource' },
    { written: { 'A.com/b': '1' }, name: 'A.com/b', reason: 'is not a resource' },
    { written: {}, name: '', reason: 'at least one positive' },
    { written: { cpu: '0', gpu: 0 }, name: '', reason: 'at least one positive' },
  ])('refuses $written: $reason', ({ written, name, reason }) => {
    expect(parseResources(written, 'wanted')).toEqual({
      kind: 'bad',
      problems: [{ name, reason: expect.stringContaining(reason) }],
    })
  })

  it('takes a name at its longest and refuses it one character longer', () => {
    const longest = `${'a'.repeat(253)}/${'b'.repeat(63)}`

    expect(parseResources({ [longest]: '1' }, 'supply')).toMatchObject({ kind: 'ok' })
    expect(parseResources({ [`a${longest}`]: '1' }, 'supply')).toMatchObject({ kind: 'bad' })
    expect(parseResources({ [`${longest}b`]: '1' }, 'supply')).toMatchObject({ kind: 'bad' })
  })

  it('names every bad field at once', () => {
    const parsed = parseResources({ cpu: 'x', memory: '1Gi', gpu: '-1' }, 'supply')

    expect(parsed).toMatchObject({ problems: [{ name: 'cpu' }, { name: 'gpu' }] })
  })

  it('refuses a map with more than 64 names', () => {
    const names = Array.from({ length: 65 }, (_, at) => [`a.com/r${at}`, '1'])

    expect(parseResources(Object.fromEntries(names), 'supply')).toMatchObject({ kind: 'bad' })
  })
})

describe('printResources', () => {
  const resources = { cpu: 1_500n, memory: 4n * GIB, 'nvidia.com/gpu': 1_000n }

  it('prints canonical names, and pieces without a suffix', () => {
    expect(printResources(resources)).toEqual({
      cpu: '1500m',
      memory: '4Gi',
      'nvidia.com/gpu': '1000',
    })
  })

  it('speaks the dialect of the caller', () => {
    expect(printResources(resources, ['gpu'])).toHaveProperty('gpu', '1000')
    expect(describeResources(resources, ['gpu'])).toBe('1.5 cpu, 4Gi memory, 1000 gpu')
  })
})

it.each([
  { name: 'cpu', amounts: [395_200n, -500n], told: ['395.2', '-0.5'] },
  { name: 'memory', amounts: [12_369_505_814n, 2n ** 34n], told: ['11.52Gi', '16Gi'] },
  {
    name: 'memory',
    amounts: [12_369_505_814n, 12_369_505_815n],
    told: ['12369505814', '12369505815'],
  },
])('tells two amounts of $name apart: $told', ({ name, amounts: [one = 0n, other = 0n], told }) => {
  expect(readablePair(name, one, other)).toEqual(told)
})
