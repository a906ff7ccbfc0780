import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import pino from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createFairShare, type Rate } from '../../fair-share/index.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { createHearing } from './hear-calls.ts'

const KIB = 1024
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Calls of mallory, answered by a relay of the test; the MQTT server takes answers when told to. */
function aHearing(options: Readonly<{ rate?: Rate; answer?: RelayedAnswer }> = {}) {
  const { rate, answer = { status: 200, headers: {}, body: '{}' } } = options
  const share = createFairShare({ rate }, () => performance.now())
  const limits = createCarrierLimits({
    unreadBytes: { perCaller: 100 * KIB, inAll: 1_000 * KIB, always: 0 },
  })
  const asked: RelayedCall[] = []
  const told: RelayedAnswer[] = []
  const refusedBytes: number[] = []
  const taken = Promise.withResolvers<void>()
  const { hear } = createHearing({
    limits,
    share,
    isDue: () => true,
    signal: new AbortController().signal,
    log: pino({ level: 'silent' }),
    onRefused: (bytes) => void refusedBytes.push(bytes),
    relay: {
      async ask(_caller, call) {
        asked.push(call)
        return answer
      },
    },
    async answer(_call, given) {
      told.push(given)
      await taken.promise
    },
  })
  closing.push(share.stop)
  const address = { id: 'mallory', answersTo: 'there', correlationData: undefined }
  const call = (method: string, more = '') =>
    hear(address, Buffer.from(JSON.stringify({ method, path: '/instructions', body: more })))
  return {
    share,
    limits,
    asked,
    told,
    refusedBytes,
    call,
    hear,
    serverTakes: () => taken.resolve(),
  }
}

describe('a call by MQTT', () => {
  it('counts with its answer until the server has that', async () => {
    const { limits, told, call, serverTakes } = aHearing()
    const done = call('GET')
    await expect.poll(() => told.length).toBe(1)
    const during = [limits.open('streams'), limits.open('calls'), limits.open('bytes')]

    serverTakes()
    await done

    expect(during).toEqual([1, 1, 2])
    expect([limits.open('streams'), limits.open('calls'), limits.open('bytes')]).toEqual([0, 0, 0])
  })

  it('is refused when too much of its answers waits, unless it has done something', async () => {
    const long = { status: 200, headers: {}, body: `"${'x'.repeat(60 * KIB)}"` }
    const { told, call, limits } = aHearing({ answer: long })

    for (const method of ['GET', 'GET', 'POST']) {
      void call(method)
      await nextTurn()
    }

    await expect.poll(() => told.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    expect(told.find(({ status }) => status === 429)?.headers).toEqual({ 'retry-after': '1' })
    expect(limits.open('bytes')).toBeLessThan(100 * KIB)
  })

  it('for a long answer takes turns with others, and waits for no earlier answer', async () => {
    const long = { status: 200, headers: {}, body: `"${'x'.repeat(30 * KIB)}"` }
    const { told, call } = aHearing({ answer: long })
    for (let sent = 0; sent < 3; sent += 1) void call('GET')

    const perTurn: number[] = []
    while (told.length < 3) {
      const before = told.length
      await nextTurn()
      perTurn.push(told.length - before)
    }

    expect(Math.max(...perTurn)).toBe(1)
  })

  it('is charged before it is parsed, and refused without credit', async () => {
    const { asked, told, refusedBytes, call } = aHearing({ rate: { perSecond: 1e-9, burst: 10 } })

    for (let sent = 0; sent < 3; sent += 1) void call('POST')

    await expect.poll(() => told.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    expect(asked).toHaveLength(2)
    expect(refusedBytes).toEqual([50])
  })

  it('costs its caller something, too, if there is nowhere to answer', () => {
    const { share, hear, refusedBytes } = aHearing({ rate: { perSecond: 1e-9, burst: 10 } })

    for (let sent = 0; sent < 3; sent += 1)
      hear({ id: 'mallory', reason: 'no topic' }, Buffer.from('{}'))

    expect(share.rate.take('mallory')).toBeGreaterThan(0)
    expect(refusedBytes).toEqual([2, 2, 2])
  })

  it('of a mebibyte waits for its turn, and only a few may wait', async () => {
    const { share, told, asked, call } = aHearing()

    for (let sent = 0; sent < 20; sent += 1) void call('POST', 'x'.repeat(1_000 * KIB))
    const held = share.loads.totals().bodyBytes

    expect(held).toBeLessThanOrEqual(8 * 1024 * KIB)
    await expect.poll(() => told.length).toBe(20)
    expect(told.filter(({ status }) => status === 429)).toHaveLength(12)
    expect(asked).toHaveLength(8)
    expect(share.loads.totals().bodyBytes).toBe(0)
  })

  it('is short if it is a question, as it may wait for a minute', async () => {
    const { told, asked, call } = aHearing()

    void call('GET', 'x'.repeat(20 * KIB))

    await expect.poll(() => told).toMatchObject([{ status: 413 }])
    expect(asked).toEqual([])
  })

  it('that is no call is told so', async () => {
    const { told, hear } = aHearing()

    void hear({ id: 'mallory', answersTo: 'there', correlationData: undefined }, Buffer.from('{'))

    await expect.poll(() => told).toMatchObject([{ status: 400 }])
  })
})
