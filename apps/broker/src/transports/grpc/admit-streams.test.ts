import { once } from 'node:events'
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { brokerService } from '@bourse/contract/grpc'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFairShare, type Rate } from '../../fair-share/index.ts'
import { createCarrierLimits } from '../relay/carrier-limits.ts'
import { admitStreams } from './admit-streams.ts'
import { MESSAGE_WITHIN_MS } from './receive-message.ts'

const MIB = 1024 * 1024
const HEAD_BYTES = 5
const closing: (() => unknown)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) close()
})

type Options = Readonly<{
  rate?: Rate
  /** Streams are not read until the test does. */
  isSlow?: boolean
}>

/** A server whose callers are all mallory, and a connection to it. */
async function aServer({ rate, isSlow = false }: Options = {}) {
  const share = createFairShare({ rate }, () => performance.now())
  const refusals: string[] = []
  const limits = createCarrierLimits({ refused: (what) => refusals.push(what) })
  const calls: string[] = []
  /** Bytes that counted for the caller when a call was whole. */
  const held: number[] = []
  const heardInVain = vi.fn()
  const admitted = admitStreams({
    limits,
    share,
    now: () => performance.now(),
    onCall({ stream, bytes, letGo }) {
      calls.push(`${bytes.length} bytes`)
      held.push(share.loads.totals().bodyBytes)
      letGo()
      stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 }, { endStream: true })
    },
  })
  // Resets are ours to count here, not the library's.
  const resets = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 }
  const server = createServer(resets)
  const identify = () => ({ id: 'mallory', isOperator: false })
  const seen: ServerHttp2Stream[] = []
  server.on('session', (session) => admitted.follow(session, { identify, heardInVain }))
  server.on('stream', (stream) => {
    seen.push(stream)
    if (isSlow) stream.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  session.on('error', () => undefined)
  closing.push(
    () => share.stop(),
    () => session.destroy(),
    () => server.close(),
  )
  return { share, limits, calls, held, refusals, heardInVain, session, streams: seen, begin }

  function begin(): ClientHttp2Stream {
    const stream = session.request({ [constants.HTTP2_HEADER_METHOD]: 'POST' })
    stream.on('error', () => undefined)
    return stream
  }
}

/** The head of a frame, and as much of the rest as is sent. */
function aFrame(bytes: number, sent = bytes): Buffer {
  const frame = Buffer.alloc(HEAD_BYTES + sent)
  frame.writeUInt32BE(bytes, 1)
  return frame
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
    for (const byte of aFrame(2_995)) stream.write(Buffer.of(byte))
    stream.end()
    stream.resume()

    await once(stream, 'close')

    expect(calls).toEqual(['3000 bytes'])
    expect(share.loads.totals().bodyBytes).toBe(0)
  })

  it('counts once where its head comes by itself', async () => {
    const { held, share, begin } = await aServer()
    const stream = begin()
    stream.resume()
    const frame = aFrame(1_000)
    stream.write(frame.subarray(0, HEAD_BYTES))
    await expect.poll(() => share.loads.totals().bodyBytes).toBe(frame.length)

    stream.end(frame.subarray(HEAD_BYTES))
    await once(stream, 'close')

    expect(held).toEqual([frame.length])
  })

  it('is over, too, if it is refused after its caller has left', async () => {
    const { limits, streams, begin } = await aServer({
      rate: { perSecond: 1e-9, burst: 10 },
      isSlow: true,
    })
    const stream = begin()
    stream.write(aFrame(MIB, 0))
    await expect.poll(() => streams[0]?.readableLength).toBe(HEAD_BYTES)
    stream.write(Buffer.alloc(10_000))
    await expect.poll(() => streams[0]?.readableLength).toBe(10_000 + HEAD_BYTES)
    streams[0]?.once('aborted', () => streams[0]?.resume())

    stream.close(constants.NGHTTP2_NO_ERROR)

    await expect.poll(() => limits.open('streams')).toBe(0)
  })

  it('waits for nothing more once its message is whole', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { calls, begin } = await aServer()
    const stream = begin()
    stream.resume()
    stream.end(aFrame(4))
    await once(stream, 'close')

    expect(calls).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts for its caller as a whole from its head on, and is refused beyond a share', async () => {
    const { calls, share, begin } = await aServer()
    const halves = Array.from({ length: 12 }, begin)
    const answers = halves.map(answerOf)
    for (const half of halves) half.write(aFrame(MIB, 1))

    const refused = await Promise.race(answers)
    await expect.poll(() => share.refused.body).toBe(5)
    const held = share.loads.totals().bodyBytes
    for (const half of halves) half.close(constants.NGHTTP2_CANCEL)

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(held).toBe(7 * (MIB + HEAD_BYTES))
    expect(calls).toEqual([])
    await expect.poll(() => share.loads.totals().bodyBytes).toBe(0)
  })

  it('pays for its message before that has come', async () => {
    const { begin } = await aServer({ rate: { perSecond: 1e-9, burst: 2_000 } })
    const [first, second] = [begin(), begin()]
    for (const half of [first, second]) half.write(aFrame(MIB, 1))

    expect(await answerOf(second)).toMatchObject({ status: 429 })
    first.close()
  })

  it('that is refused is not read on', async () => {
    const { begin, streams } = await aServer({ rate: { perSecond: 1e-9, burst: 1 } })
    const halves = Array.from({ length: 20 }, begin)
    for (const half of halves) half.write(aFrame(MIB))

    await expect.poll(() => streams.filter(({ closed }) => closed).length).toBe(10)

    const waiting = streams.filter(({ closed }) => !closed)
    expect(waiting.map((stream) => stream.isPaused())).toEqual(waiting.map(() => true))
  })

  it('that leaves while its refusal is held is forgotten', async () => {
    const { begin, limits } = await aServer({ rate: { perSecond: 1e-9, burst: 1 } })
    const halves = Array.from({ length: 20 }, begin)
    for (const half of halves) half.write(aFrame(1_000, 900))
    await expect.poll(() => limits.open('streams')).toBe(10)

    for (const half of halves) half.close(constants.NGHTTP2_NO_ERROR)

    await expect.poll(() => limits.open('streams')).toBe(0)
  })

  it('that sends more than its head says is refused', async () => {
    const { share, begin } = await aServer()
    const stream = begin()
    stream.end(Buffer.concat([aFrame(10), Buffer.alloc(1)]))

    expect(await answerOf(stream)).toMatchObject({ status: 413 })
    expect(share.loads.totals().bodyBytes).toBe(0)
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
    stream.write(aFrame(2 * MIB, 1))

    expect(await answerOf(stream)).toMatchObject({ status: 413 })
    expect(share.loads.totals().bodyBytes).toBe(0)
  })

  it('that comes with many others begins in one of several turns', async () => {
    const { calls, begin } = await aServer()
    const streams = Array.from({ length: 50 }, begin)
    for (const stream of streams) stream.end(aFrame(4))

    const perTurn: number[] = []
    while (calls.length < 50) {
      const before = calls.length
      await new Promise((resolve) => setImmediate(resolve))
      perTurn.push(calls.length - before)
    }

    expect(Math.max(...perTurn)).toBeLessThan(10)
  })

  it('is charged whatever becomes of it, and refused without credit', async () => {
    const { calls, begin } = await aServer({ rate: { perSecond: 1e-9, burst: 10 } })
    const streams = [begin(), begin(), begin()]
    for (const stream of streams) stream.end(aFrame(4))

    const answers = await Promise.all(streams.map(answerOf))

    expect(calls).toHaveLength(2)
    expect(answers[2]).toMatchObject({ status: 429 })
    expect(answers[2]?.headers['retry-after']).toBeDefined()
  })
})

describe('streams that are reset', () => {
  it('are charged, and end their connection when there are many', async () => {
    const { session, share, refusals, heardInVain, begin } = await aServer({
      rate: { perSecond: 1e-9, burst: 1_000_000 },
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
