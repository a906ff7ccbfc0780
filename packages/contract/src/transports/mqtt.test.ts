import { describe, expect, it } from 'vitest'
import { decodeAnswer, decodeCall, encodeAnswer, encodeCall } from './mqtt.ts'

const decode = (text: string) => decodeCall(Buffer.from(text))
const nested = (levels: number) =>
  `{"method":"POST","path":"/x","body":${'['.repeat(levels)}${']'.repeat(levels)}}`

describe('a call by MQTT', () => {
  it('is what was sent', () => {
    const call = { method: 'POST', path: '/x', body: '{"a":"[[[ \\" {{{"}' } as const

    expect(decodeCall(Buffer.from(encodeCall(call)))).toEqual(call)
  })

  it.each([
    { name: 'no JSON', text: '{' },
    { name: 'nothing', text: '' },
    { name: 'no object', text: '7' },
    { name: 'no method', text: '{"path":"/x"}' },
    { name: 'a path that is an object', text: '{"method":"GET","path":{"toString":1}}' },
    { name: 'a method that is a list', text: '{"method":[],"path":"/x"}' },
    { name: 'one with a misspelt body', text: '{"method":"POST","path":"/x","boddy":{}}' },
    { name: 'half a million levels', text: nested(500_000) },
    { name: 'brackets without end', text: '['.repeat(1_000_000) },
  ])('is refused in words if it is $name', ({ text }) => {
    expect(() => decode(text)).toThrow(SyntaxError)
  })

  it('may be as deep as 64 levels, and not deeper', () => {
    expect(decode(nested(63)).path).toBe('/x')
    expect(() => decode(nested(64))).toThrow('at most 64 levels')
  })

  it('takes no longer for text full of quotes than for other text', () => {
    const text = `{"a":"${'\\\\"'.repeat(300_000)}`

    expect(() => decode(text)).toThrow(SyntaxError)
  })
})

describe('an answer by MQTT', () => {
  it.each(['{"a":[1,"ü \\" }"]}', ''])('is what was sent: %s', (body) => {
    const answer = { status: 200, headers: { 'bourse-index': '7' }, body }

    expect(decodeAnswer(Buffer.from(encodeAnswer(answer)))).toEqual(answer)
  })

  it('has its body as it is: to parse a long one would take milliseconds', () => {
    const answer = { status: 200, headers: {}, body: '{ "a" : 1 }' }

    expect(encodeAnswer(answer)).toBe('{"status":200,"headers":{},"body":{ "a" : 1 }}')
  })
})
