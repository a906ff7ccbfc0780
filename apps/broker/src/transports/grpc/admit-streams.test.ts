import { once } from 'node:events'
import { type ClientHttp2Stream, connect, constants, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { brokerService } from '@bourse/contract/grpc'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFairShare, type Rate } from '../../fair-share/index.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { admitStreams } from './admit-streams.ts'
import { MESSAGE_WITHIN_MS } from './receive-message.ts'

const MIB = 1024 * 1024
const closing: (() => unknown)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) close()
})

/** A server whose callers are all mallory, and a connection to it. */
async function aServer(rate?: Rate) {
  const share = createFairShare({ rate }, () => performance.now())
  const refusals: string[] = []
  const limits = createCarrierLimits({ refused: (what) => refusals.push(what) })
  const calls: string[] = []
  const heardInVain = vi.fn()
  const streams = admitStreams({
    limits,
    share,
    now: () => performance.now(),
    onCall({ stream, bytes }) {
      calls.push(`${bytes.length} bytes`)
      stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 }, { endStream: true })
    },
  })
  // Resets are ours to count here, not the library's.
  const resets = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 }
  const server = createServer(resets)
  const identify = () => ({ id: 'mallory', isOperator: false })
  server.on('session', (session) => streams.follow(session, { identify, heardInVain }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  session.on('error', () => undefined)
  closing.push(
    () => share.stop(),
    () => session.destroy(),
    () => server.close(),
  )
  return { share, limits, calls, refusals, heardInVain, session, begin }

  function begin(): ClientHttp2Stream {
    const stream = session.request({ [constants.HTTP2_HEADER_METHOD]: 'POST' })
    stream.on('error', () => undefined)
    return stream
  }
}

async function answerOf(stream: ClientHttp2Stream) {
  const parts: Buffer[] = []
  stream.on('data', (part: Buffer) => parts.push(part))
  await once(stream, 'close')
  return fromBinary(brokerService.method.ask.output, Buffer.concat(parts).subarray(5))
}

describe('a stream', () => {
  it('is a call once its message is whole, however small its parts', async () => {
    const { calls, share, begin } = await aServer()
    const stream = begin()
    for (let sent = 0; sent < 3_000; sent += 1) stream.write('x')
    stream.end()
    stream.resume()

    await once(stream, 'close')

    expect(calls).toEqual(['3000 bytes'])
    expect(share.loads.totals().bodyBytes).toBe(0)
  })

  it('counts for its caller while its message comes, and is refused beyond a share', async () => {
    const { calls, share, begin } = await aServer()
    const halves = Array.from({ length: 12 }, begin)
    const answers = halves.map(answerOf)
    for (const half of halves) half.write(Buffer.alloc(MIB))

    const refused = await Promise.race(answers)
    await expect.poll(() => share.refused.body).toBeGreaterThanOrEqual(4)
    const held = share.loads.totals().bodyBytes
    for (const half of halves) half.close(constants.NGHTTP2_CANCEL)

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(held).toBeLessThanOrEqual(8 * MIB)
    expect(calls).toEqual([])
    await expect.poll(() => share.loads.totals().bodyBytes).toBe(0)
  })

  it('whose message does not come is refused in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { limits, begin } = await aServer()
    const stream = begin()
    stream.write('half')
    const answer = answerOf(stream)
    await expect.poll(() => limits.open('streams')).toBe(1)

    vi.advanceTimersByTime(MESSAGE_WITHIN_MS)

    expect(await answer).toMatchObject({ status: 408 })
    expect(limits.open('streams')).toBe(0)
  })

  it('of a message that is too large is refused', async () => {
    const { share, begin } = await aServer()
    const stream = begin()
    stream.end(Buffer.alloc(2 * MIB))

    expect(await answerOf(stream)).toMatchObject({ status: 413 })
    expect(share.loads.totals().bodyBytes).toBe(0)
  })

  it('is charged whatever becomes of it, and refused without credit', async () => {
    const { calls, begin } = await aServer({ perSecond: 1e-9, burst: 10 })
    const streams = [begin(), begin(), begin()]
    for (const stream of streams) stream.end('call')

    const answers = await Promise.all(streams.map(answerOf))

    expect(calls).toHaveLength(2)
    expect(answers[2]).toMatchObject({ status: 429 })
    expect(answers[2]?.headers['retry-after']).toBeDefined()
  })
})

describe('streams that are reset', () => {
  it('are charged, and end their connection when there are many', async () => {
    const { session, share, refusals, heardInVain, begin } = await aServer({
      perSecond: 1e-9,
      burst: 1_000_000,
    })
    await once(session, 'connect')
    while (!session.destroyed) {
      begin().close(constants.NGHTTP2_CANCEL)
      await new Promise((resolve) => setImmediate(resolve))
    }

    expect(refusals).toContain('resets')
    expect(heardInVain).toHaveBeenCalled()
    expect(share.rate.take('mallory', 999_000)).toBeGreaterThan(0)
  })
})
