import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BrokerError } from './broker-error.ts'
import { createHttpLog } from './http-log.ts'

describe('createHttpLog', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  function aLog() {
    const lines: { caller?: string; msg: string; path?: string; unlogged?: number }[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const log = createHttpLog(pino({ level: 'info' }, { write }))
    const refuse = (caller: string, url = '/x') => {
      const problem = new BrokerError('RouteNotFound', `There is nothing at ${url}.`)
      // Of a request only these are told of.
      const request = { method: 'GET', originalUrl: url, routeOptions: {}, caller: { id: caller } }
      log.refusal(request as unknown as FastifyRequest, problem, problem)
    }
    return { lines, refuse }
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
})
