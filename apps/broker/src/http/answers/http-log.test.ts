import type { ErrorCode } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BrokerError } from '../errors/broker-error.ts'
import { createHttpLog } from './http-log.ts'

describe('createHttpLog', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  function aLog() {
    const lines: { caller?: string; msg: string; path?: string; unlogged?: number }[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const log = createHttpLog(pino({ level: 'info' }, { write }))
    const refuse = (caller: string, url = '/x', code: ErrorCode = 'RouteNotFound') => {
      const problem = new BrokerError(code, `There is nothing at ${url}.`)
      // Of a request only these are told of.
      const request = { method: 'GET', originalUrl: url, routeOptions: {}, caller: { id: caller } }
      log.refusal(request as unknown as FastifyRequest, problem, new Error('why'))
    }
    return { lines, refuse, decision: log.decision }
  }

  it('cuts what came from outside', () => {
    const { lines, refuse } = aLog()

    refuse('mallory', `/${'x'.repeat(15_000)}`)

    expect([lines[0]?.path?.length, lines[0]?.msg.length]).toEqual([200, 201])
  })

  it('writes a few lines about a caller and tells later how many more there were', () => {
    const { lines, refuse } = aLog()

    for (let times = 0; times < 500; times += 1) refuse('mallory')
    refuse('rome')
    const before = lines.length
    vi.advanceTimersByTime(10_000)
    refuse('mallory')

    expect(before).toBe(21)
    expect(lines.slice(before).map(({ caller, unlogged }) => [caller, unlogged])).toEqual([
      ['mallory', 480],
      ['mallory', undefined],
    ])
  })

  it.each<ErrorCode>(['Unavailable', 'InternalError'])(
    'writes no more lines of %s, though it is not the caller that fails',
    (code) => {
      const { lines, refuse } = aLog()

      for (let times = 0; times < 500; times += 1) refuse('mallory', '/x', code)

      expect(lines).toHaveLength(20)
    },
  )

  it('writes a burst of decisions in full, and of a flood the number', () => {
    const { lines, decision } = aLog()

    for (let times = 0; times < 5_000; times += 1) decision('mallory', 'reserved', {})
    decision('rome', 'reserved', {})
    const before = lines.length
    vi.advanceTimersByTime(1_000)
    decision('mallory', 'reserved', {})

    expect(before).toBe(1_001)
    expect(lines.slice(before)).toMatchObject([
      { by: 'mallory', unlogged: 4_000, msg: 'more was decided' },
      { msg: 'reserved' },
    ])
  })
})
