import { describe, expect, it } from 'vitest'
import { isFinal } from './supervised-broker.ts'

describe('the end of a broker', () => {
  const refusal = { code: 1, signal: null, hasBeenReady: false, aliveMs: 1_000 }

  it.each([
    { what: 'a refusal to start', end: refusal },
    { what: 'one that a busy machine came to late', end: { ...refusal, aliveMs: 60_000 } },
    { what: 'one right after a restart', end: { ...refusal, hasBeenReady: true } },
  ])('is final if it is $what', ({ end }) => {
    expect(isFinal(end)).toBe(true)
  })

  it.each([
    { what: 'a kill', end: { ...refusal, code: null, signal: 'SIGKILL' as const } },
    { what: 'a polite stop', end: { ...refusal, code: 0 } },
    { what: 'a crash after a while', end: { ...refusal, hasBeenReady: true, aliveMs: 60_000 } },
  ])('is not if it is $what', ({ end }) => {
    expect(isFinal(end)).toBe(false)
  })
})
