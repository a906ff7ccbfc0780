// Budget: 20 seconds. Callers by gRPC that leave, that do not read, and that ask for what is not
// carried: nothing of them stays.
import type { ClientHttp2Stream } from 'node:http2'
import {
  anAdvertisement,
  eventually,
  quietPorts,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { rssMbOf } from '@bourse/testkit/process-usage'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'
import { figureOf } from './broker-figures.ts'
import { firstStatus, openRawGrpc, type RawGrpc } from './raw-grpc.ts'

const WAVES = attackSize({ sample: 2, full: 20 })
const WATCHES_EACH = attackSize({ sample: 60, full: 120 })
const HOARD = attackSize({ sample: 100, full: 300 })
const ATTACKERS = ['mallory', 'eve', 'trudy']
/** Far more than the limits add up to, far less than what has no limit. */
const GROWTH_MB_MAX = 400
/** What was refused is only gone when the heap is swept. */
const HOARDED_MB_MAX = 700

/** All ports together keep less than the limits of three callers add up to. */
const DROPPED_FOR_MEMORY = 'broker_connections_dropped_total{port="grpc",reason="memory"}'

/** The event stream, in other words. */
const STREAMS = [
  ...['/events', '/./events', '/x/../events', '/%65vents', '/event%73', '//events', '/events/'],
  ...['/events;x', '/EVENTS', '/events?after=0', '/.\\events', '/eve\tnts', '/events#x'],
  ...['/../v1/events', '/../../api/v1/events', 'https://127.0.0.1/api/v1/events', 'events'],
  ...['/%2e/events', '/instructions/../events', '/events%00', '/events%2F', '/audit'],
]

let broker: TestBroker
let url = ''
let paris: RawCaller
const sessions: RawGrpc[] = []

beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  url = `https://127.0.0.1:${port}`
  broker = await startBroker({
    flags: ['--broker-interface=http,grpc', `--grpc-port=${port}`, '--rate-limit=0'],
  })
  paris = await broker.aRawCaller('paris')
  await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu: '1000' }))
})
afterEach(() => {
  for (const session of sessions.splice(0)) session.close()
})
afterAll(() => broker?.dispose())

describe('by gRPC', () => {
  it('no stream is carried, in any spelling of the request', async () => {
    const mallory = await attacker('mallory')

    const watched = await Promise.all(STREAMS.map((path) => mallory.ask('Watch', { path })))
    const asked = await Promise.all(
      STREAMS.filter((path) => path !== '/audit').map((path) => mallory.ask('Ask', { path })),
    )

    expect(new Set(watched)).toEqual(new Set([404, 405]))
    expect(new Set(asked)).toEqual(new Set([404]))
    await nothingIsOpen()
  })

  it('watches that are left give everything back', async () => {
    await wave(0)
    await nothingIsOpen()
    const before = rssMbOf(broker.pid)

    for (let number = 1; number <= WAVES; number += 1) await wave(number)

    await nothingIsOpen()
    expect(rssMbOf(broker.pid) - before).toBeLessThan(GROWTH_MB_MAX)
    expect(await broker.isReady()).toBe(true)
    expect(broker.logs()).not.toContain('handler for rpc')
  })

  it('answers that are not read are bounded, and the others do not notice', async () => {
    const before = rssMbOf(broker.pid)
    const hoarders = await Promise.all(ATTACKERS.map((name) => attacker(name, 0)))
    for (const hoarder of hoarders)
      for (let asked = 0; asked < HOARD; asked += 1)
        hoarder.open(asked % 4 === 0 ? 'Watch' : 'Ask', { path: BIG[asked % 4] ?? '' })
    await eventually('They hold what they may, or are cut off', async () => {
      const isCutOff = (await figureOf(broker, DROPPED_FOR_MEMORY)) > 0
      return isCutOff || (await open('bytes')) > 5_000_000
    })

    const neighbour = await attacker('neighbour')
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => neighbour.ask('Ask', { path: '/instructions' })),
    )

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await open('bytes')).toBeLessThan(ATTACKERS.length * 17 * 1024 * 1024)
    expect(rssMbOf(broker.pid) - before).toBeLessThan(HOARDED_MB_MAX)
    for (const session of sessions.splice(0)) session.close()
    await nothingIsOpen()
  })

  it('calls that never come are bounded, too', async () => {
    const mallory = await Promise.all(Array.from({ length: 4 }, () => attacker('mallory')))
    const begun = mallory.flatMap((session) =>
      Array.from({ length: 300 }, (_, at) =>
        at % 2 === 0 ? session.begin('Ask') : session.half(),
      ),
    )
    await eventually('They are counted', async () => (await open('streams')) > 300)
    await eventually('Some are refused', () => begun.some(({ destroyed }) => destroyed))

    const neighbour = await attacker('neighbour')
    const answered = await neighbour.ask('Ask', { path: '/instructions' })

    expect(answered).toBe(200)
    expect(
      await figureOf(broker, 'broker_door_refusals_total{door="carrier",reason="streams"}'),
    ).toBeGreaterThan(0)
    for (const session of sessions.splice(0)) session.close()
    await nothingIsOpen()
  })
})

const BIG = [
  '/reservations?limit=1000',
  '/openapi.json',
  '/reservations?limit=1000',
  '/openapi.json',
] as const

async function attacker(name: string, windowBytes?: number): Promise<RawGrpc> {
  const certPath = await broker.certificates.forCluster(name)
  const session = openRawGrpc({ url, certPath, ...(windowBytes !== undefined && { windowBytes }) })
  sessions.push(session)
  return session
}

/** All clients watch, things happen, all leave: half of them without a word. */
async function wave(number: number): Promise<void> {
  const attackers = await Promise.all(ATTACKERS.map((name) => attacker(name)))
  const watches = attackers.map((session) => Array.from({ length: WATCHES_EACH }, watchBy(session)))
  const answered = Promise.all(watches.flat().map((watch) => firstStatus(watch)))
  const statuses = await answered
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0)
  await reserveSome(10)
  for (const [at, session] of attackers.entries()) {
    if ((at + number) % 2 === 0) for (const watch of watches[at] ?? []) session.leave(watch)
    else session.close()
  }
}

const watchBy =
  (session: RawGrpc) =>
  (_: unknown, at: number): ClientHttp2Stream =>
    session.open('Watch', { path: at % 2 === 0 ? '/instructions' : (STREAMS[at % 22] ?? '') })

async function reserveSome(count: number): Promise<void> {
  const rome = await broker.aRawCaller('rome')
  for (let made = 0; made < count; made += 1)
    await rome.post('/api/v1/reservations', { requestedResources: { cpu: '1m' } })
}

const open = (what: string) => figureOf(broker, `broker_carrier_open{what="${what}"}`)

async function nothingIsOpen(): Promise<void> {
  const nothing = { streams: 0, calls: 0, watches: 0, bytes: 0, waits: 0 }
  await expect.poll(whatIsOpen).toEqual(nothing)
}

async function whatIsOpen() {
  const [streams, calls, watches, bytes] = await Promise.all(
    ['streams', 'calls', 'watches', 'bytes'].map(open),
  )
  return { streams, calls, watches, bytes, waits: await figureOf(broker, 'broker_open_waits') }
}
