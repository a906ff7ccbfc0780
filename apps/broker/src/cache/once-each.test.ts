import { describe, expect, it } from 'vitest'
import { onceEach } from './once-each.ts'

describe('onceEach', () => {
  it('makes something of the very same value once', () => {
    const printed: object[] = []
    const textOf = onceEach((value: object) => `text ${printed.push(value)}`)
    const value = {}

    expect([textOf(value), textOf(value), textOf({})]).toEqual(['text 1', 'text 1', 'text 2'])
  })

  it('stays right beyond as many as are kept', () => {
    const textOf = onceEach((value: { n: number }) => `${value.n}`)
    const values = Array.from({ length: 10_000 }, (_, n) => ({ n }))

    const texts = [...values, ...values].map(textOf)

    expect(texts).toEqual([...values, ...values].map(({ n }) => `${n}`))
  })

  it('makes anew what is too large to be kept', () => {
    const made: string[] = []
    const textOf = onceEach(
      (value: { text: string }) => {
        made.push(value.text)
        return value.text
      },
      { isSmall: (text) => text.length < 5 },
    )
    const [small, large] = [{ text: 'tiny' }, { text: 'not tiny' }]

    const texts = [small, large, small, large].map(textOf)

    expect(texts).toEqual(['tiny', 'not tiny', 'tiny', 'not tiny'])
    expect(made).toEqual(['tiny', 'not tiny', 'not tiny'])
  })
})
