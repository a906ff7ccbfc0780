// Budget: 90 seconds, of which slow clients, who are given 30 seconds to finish, take 40.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  type RawCaller,
  type RawReply,
  readReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { identityIn } from '@bourse/testkit/identity'
import { rssMbOf } from '@bourse/testkit/process-usage'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const HEALTH = '/api/v1/healthz'
const WAITERS = 10
const POLLS_EACH = 100
/** http-limits: 30 s for a whole request, looked at every 5 s; the rest is for a busy machine. */
const CUT_WITHIN_MS = 120_000
/** A thousand handshakes, on both sides, on a machine with other work. */
const OPENED_WITHIN_MS = 400_000

describe('more connections than --max-connections', () => {
  it('are closed before they are heard; those that are there go on, and room is used again', async () => {
    const broker = await startBroker({ flags: ['--max-connections=2'] })
    onTestFinished(broker.dispose)
    const [first, second, third] = await Promise.all(
      ['rome', 'paris', 'oslo'].map((name) => broker.aRawCaller(name, 1)),
    )
    const held = [await first?.get(RESERVATIONS), await second?.get(RESERVATIONS)]

    const refused = await third?.get(RESERVATIONS).catch((error: NodeJS.ErrnoException) => error)
    const goingOn = await first?.get(RESERVATIONS)
    second?.close()
    const later = await eventually('There is room again', () =>
      third?.get(RESERVATIONS).catch(() => undefined),
    )

    expect(held.map((reply) => reply?.status)).toEqual([200, 200])
    // It is closed before or after it has sent its first bytes.
    expect(refused).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) })
    expect(goingOn?.status).toBe(200)
    expect(later.status).toBe(200)
    expect(await broker.isReady()).toBe(true)
  })
})

describe('clients that are many, slow or gone', () => {
  let broker: TestBroker
  let rome: RawCaller

  beforeEach(async () => {
    // Long: on a busy machine it cuts off no client that still reads.
    broker = await startBroker({ flags: ['--shutdown-timeout=2m'] })
    rome = await broker.aRawCaller('rome')
    const paris = await broker.aRawCaller('paris')
    await paris.post(ADVERTISEMENTS, anAdvertisement('paris', { cpu: '1000' }))
  })
  afterEach(() => broker?.dispose())

  it('holds 1,000 idle long polls at no cost and ends them politely at SIGTERM', async () => {
    const before = await medianReserveMs(30)
    const polls = await openPolls()
    const settled = rssMbOf(broker.pid)

    const during = await medianReserveMs(30)
    // What a collection of garbage has yet to take is not their cost.
    await expect.poll(() => rssMbOf(broker.pid) - settled).toBeLessThan(20)
    const exit = await broker.stop()
    const answers = await Promise.all(polls)

    // How cheap they are is measured elsewhere; to wake all of them for each commit takes longer.
    expect(during).toBeLessThan(5 * before + 250)
    expect(answers).toHaveLength(WAITERS * POLLS_EACH)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 []']),
    )
    expect(exit).toEqual({ code: 0, signal: null })
  }, 600_000)

  it('wakes the client that is concerned, and no other', async () => {
    const paris = await broker.aRawCaller('paris')
    const oslo = await broker.aRawCaller('oslo')
    const woken = paris.get('/api/v1/instructions?wait=60s')
    const asleep = oslo.get('/api/v1/instructions?wait=60s')
    await eventually('Both wait', async () => (await openWaits()) === 2)

    const granted = await rome.post(RESERVATIONS, aRequest())
    const answer = await woken
    const waitingThen = await openWaits()
    await broker.stop()
    await asleep

    expect(answer.json).toMatchObject([{ id: granted.json.id }])
    expect(waitingThen).toBe(1)
  })

  it('does nothing by halves for a client that vanishes', async () => {
    const bodies = Array.from({ length: 40 }, (_, n) =>
      aRequest({ cpu: '1' }, { requestId: `v${n}` }),
    )
    await rome.get(RESERVATIONS)
    const before = openFiles()

    await Promise.all(
      bodies.map((body, n) => vanish(body, n % 2 === 0 ? 'in the body' : 'after it')),
    )
    await eventually('It has noticed', () => openFiles() <= before)
    const again = await Promise.all(bodies.map((body) => rome.post(RESERVATIONS, body)))
    const held = await rome.get(`${RESERVATIONS}?limit=1000`)

    // Half a body was never a request; a whole one may have been, and then is found again.
    const halves = again.filter((_, n) => n % 2 === 0)
    expect(new Set(halves.map(({ status }) => status))).toEqual(new Set([201]))
    for (const { status } of again) expect([200, 201]).toContain(status)
    expect(held.json.items).toHaveLength(40)
    expect(broker.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/)
    expect(await broker.isReady()).toBe(true)
  })

  it('lets go of the long polls of a client that has gone', async () => {
    const before = openFiles()
    const polls = Array.from({ length: 200 }, aPoll)
    await eventually('They wait', async () => (await openWaits()) === 200 || undefined)

    for (const poll of polls) poll.destroy()

    await eventually('Nothing is left of them', () => openFiles() <= before || undefined)
    expect(await broker.isReady()).toBe(true)
  })

  it('cuts off who says nothing, dawdles in the header, or in the body', async () => {
    const head = `POST ${RESERVATIONS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const silent = await dial()
    const inHeader = await dial()
    const inBody = await dial()
    inHeader.write(head)
    inBody.write(`${head}Content-Length: 1000\r\n\r\n{`)
    const drops = setInterval(() => {
      inHeader.write('X-Drop: 1\r\n')
      inBody.write(' ')
    }, 1_000)

    const answers = await Promise.all([silent, inHeader, inBody].map(lastWords))
    clearInterval(drops)

    expect(answers[0]).not.toContain('200')
    expect(answers[1]).toMatch(/^HTTP\/1\.1 408 /)
    expect(answers[2]).toMatch(/^HTTP\/1\.1 408 /)
    expect((await rome.post(RESERVATIONS, aRequest())).status).toBe(201)
  })

  it('answers what is under way at SIGTERM, takes nothing new and leaves in time', async () => {
    const begun = await Promise.all(Array.from({ length: 30 }, beginRequest))

    const exiting = broker.stop()
    await eventually('It is not ready any more', async () => !(await broker.isReady()) || undefined)
    const oslo = await broker.aRawCaller('oslo')
    // It says that it is not ready before it closes its door.
    const late = await eventually('Nothing new is taken', () =>
      oslo.get('/api/v1/instructions').then(() => undefined, refused),
    )
    for (const { call } of begun) call.end('{"cpu":"1"}}')
    const replies = await Promise.all(begun.map(({ answer }) => answer))
    const exit = await exiting
    await broker.restart()
    const held = await rome.get(`${RESERVATIONS}?limit=1000`)

    expect(late).toBe('refused')
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(exit).toEqual({ code: 0, signal: null })
    expect(held.json.items).toHaveLength(30)
  })

  /** Many clusters: one caller alone is not allowed that many. */
  async function openPolls(): Promise<Promise<RawReply>[]> {
    const names = Array.from({ length: WAITERS }, (_, n) => `waiter-${n}`)
    const waiters = await Promise.all(names.map((name) => broker.aRawCaller(name)))
    // A thousand handshakes may take longer than the longest wait: they come first.
    await Promise.all(waiters.flatMap((waiter) => times(POLLS_EACH, () => waiter.get(HEALTH))))
    let doAllWait = false
    // One whose connection was closed meanwhile may be late all the same: they ask again, as agents do.
    const poll = async (waiter: RawCaller): Promise<RawReply> => {
      const answer = await waiter.get('/api/v1/instructions?wait=60s')
      return doAllWait ? answer : poll(waiter)
    }
    const polls = waiters.flatMap((waiter) => times(POLLS_EACH, () => poll(waiter)))
    await eventually(
      'All of them wait',
      async () => (await openWaits()) === polls.length,
      OPENED_WITHIN_MS,
    )
    doAllWait = true
    return polls
  }

  /** Half of it, to a broker that has said that it wants to hear it. */
  async function beginRequest(): Promise<{ call: ClientRequest; answer: Promise<RawReply> }> {
    const headers = { 'content-type': 'application/json', expect: '100-continue' }
    const call = rome.open({ method: 'POST', path: RESERVATIONS, headers })
    const answer = once(call, 'response').then(([response]) => readReply(response))
    call.flushHeaders()
    await once(call, 'continue')
    call.write('{"requestedResources":')
    return { call, answer }
  }

  function aPoll(): ClientRequest {
    const poll = rome.open({ path: '/api/v1/instructions?wait=60s' })
    poll.end()
    return poll
  }

  async function openWaits(): Promise<number> {
    const text = await (await fetchAnew(broker.metricsUrl)).text()
    return Number(/^broker_open_waits (\d+)$/m.exec(text)?.[1])
  }

  const openFiles = () => readdirSync(`/proc/${broker.pid}/fd`).length

  async function medianReserveMs(count: number): Promise<number> {
    const times: number[] = []
    for (let asked = 0; asked < count; asked++) {
      const startedAt = performance.now()
      await rome.post(RESERVATIONS, aRequest())
      times.push(performance.now() - startedAt)
    }
    return times.sort((left, right) => left - right)[Math.floor(count / 2)] ?? Number.NaN
  }

  async function vanish(body: object, when: 'in the body' | 'after it'): Promise<void> {
    const socket = await dial()
    const text = JSON.stringify(body)
    const head = `POST ${RESERVATIONS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const sent = when === 'after it' ? text : text.slice(0, -10)
    socket.write(`${head}Content-Length: ${text.length}\r\n\r\n${sent}`, () => socket.destroy())
  }

  async function dial(): Promise<TLSSocket> {
    const certPath = await broker.certificates.forCluster('rome')
    const { hostname, port } = new URL(broker.url)
    const socket = connect({ host: hostname, port: Number(port), ...identityIn(certPath) })
    // Being cut off is what these connections are for.
    socket.on('error', () => {})
    return socket
  }
})

const refused = () => 'refused' as const

const times = <T>(length: number, make: () => T): T[] => Array.from({ length }, make)

/** What came before the other side hung up. */
function lastWords(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = ''
    const clock = setTimeout(
      () => reject(new Error(`Still connected after ${CUT_WITHIN_MS} ms, heard: ${words}`)),
      CUT_WITHIN_MS,
    )
    socket.setEncoding('utf8').on('data', (part: string) => {
      words += part
    })
    socket.once('close', () => {
      clearTimeout(clock)
      resolve(words)
    })
  })
}
