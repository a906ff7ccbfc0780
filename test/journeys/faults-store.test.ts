// Budget: 40 seconds. What becomes of the broker when its directory does not do as it should.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  eventually,
  prepareBroker,
  type RawCaller,
  type RawReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSmallDisk } from './small-disk.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const ASKED_MAX = 5_000
/** One that is not kept is noticed when something else is written down, a minute later. */
const ON_TIME_MS = 30_000

describe('a disk that runs full', () => {
  it('makes the broker not ready and say when to return; with room it goes on, whole', async () => {
    const disk = await createSmallDisk(12)
    const broker = await startBroker({ dataDir: disk.dir, prefix: disk.prefix })
    onTestFinished(async () => {
      await broker.dispose()
      await disk.dispose()
    })
    const rome = await withProvider(broker, '100000')
    const granted: string[] = []

    disk.fill()
    const refused = await reserveUntilRefused(rome, granted)
    const wasReady = await broker.isReady()
    disk.makeRoom()
    await broker.ready()
    const next = await rome.post(RESERVATIONS, requestNumber(granted.length))
    await broker.kill()
    await broker.restart()

    expect(refused).toMatchObject({ status: 503, json: { code: 'Unavailable' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(wasReady).toBe(false)
    expect(broker.logs()).toMatch(/The journal cannot commit: .*full.* No request is decided/)
    expect(broker.logs()).toMatch(/the journal commits again/)
    expect([200, 201]).toContain(next.status)
    expect(await heldIds(broker, rome)).toEqual([...granted, next.json.id].sort())
  })
})

describe('a directory that cannot be used', () => {
  it('is refused at the start, with its name and what to do', async () => {
    const disk = await createSmallDisk(4)
    onTestFinished(disk.dispose)
    await disk.makeReadOnly()
    const broker = await prepareBroker({ dataDir: disk.dir, prefix: disk.prefix })
    onTestFinished(broker.dispose)

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toContain(disk.dir)
    expect(broker.logs()).toMatch(/cannot be written/)
    expect(broker.logs()).toMatch(/--data-dir/)
  })

  it('is refused for its lack of room, and not for the lock of another process', async () => {
    const disk = await createSmallDisk(4)
    onTestFinished(disk.dispose)
    disk.fill()
    const broker = await prepareBroker({ dataDir: disk.dir, prefix: disk.prefix })
    onTestFinished(broker.dispose)

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toContain(`${disk.dir} has no room`)
    expect(broker.logs()).not.toContain('Another broker')
  })

  it('is refused while another broker holds it, which is named', async () => {
    const first = await startBroker()
    onTestFinished(first.dispose)
    const second = await prepareBroker({ dataDir: first.dataDir })
    onTestFinished(second.dispose)

    const exit = await second.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(second.logs()).toMatch(new RegExp(`Another broker.*process ${first.pid}\\b`))
    expect(await first.isReady()).toBe(true)
  })

  it('is taken over at once from a broker that was killed', async () => {
    const first = await startBroker()
    onTestFinished(first.dispose)
    const second = await prepareBroker({ dataDir: first.dataDir })
    onTestFinished(second.dispose)

    await first.kill('SIGKILL')
    second.launch()

    await expect(second.ready()).resolves.toBeUndefined()
  })
})

describe('time, across a restart', () => {
  it('goes on: what was due meanwhile has expired, what is due later does so on time', async () => {
    const broker = await startBroker()
    onTestFinished(broker.dispose)
    const rome = await withProvider(broker, '8')
    const short = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { duration: '500ms' }))
    const longer = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { duration: '12s' }))

    await broker.kill('SIGKILL')
    await sleep(1_000)
    await broker.restart()
    const backAt = Date.now()
    const expired = await rome.get(`${RESERVATIONS}/${short.json.id}`)
    let later = await rome.get(`${RESERVATIONS}/${longer.json.id}`)
    while (later.json.status.phase !== 'Released')
      later = await rome.get(`${RESERVATIONS}/${longer.json.id}?wait=60s&after=${later.index}`)

    const dueAt = Date.parse(longer.json.status.expiresAt)
    const endedAt = Date.parse(later.json.status.endedAt)
    expect(expired.json.status).toMatchObject({ phase: 'Released', reason: 'Expired' })
    expect(later.json.status).toMatchObject({ phase: 'Released', reason: 'Expired' })
    expect(endedAt).toBeGreaterThanOrEqual(dueAt)
    // On a busy machine it may have become due before the broker was back.
    expect(endedAt).toBeLessThan(Math.max(dueAt, backAt) + ON_TIME_MS)
  })
})

async function withProvider(broker: TestBroker, cpu: string): Promise<RawCaller> {
  const paris = await broker.aRawCaller('paris')
  await paris.post(ADVERTISEMENTS, anAdvertisement('paris', { cpu, memory: '100Ti' }))
  return broker.aRawCaller('rome')
}

const requestNumber = (number: number) => aRequest({ cpu: '1' }, { requestId: `job-${number}` })

/** The store keeps a little room of its own, so a full disk is felt after a few commits. */
async function reserveUntilRefused(rome: RawCaller, granted: string[]): Promise<RawReply> {
  while (granted.length < ASKED_MAX) {
    const reply = await rome.post(RESERVATIONS, requestNumber(granted.length))
    if (reply.status !== 201) return reply
    granted.push(reply.json.id)
  }
  throw new Error('The disk never ran full.')
}

async function heldIds(broker: TestBroker, rome: RawCaller): Promise<string[]> {
  await eventually('The broker answers', () => broker.isReady().then((yes) => yes || undefined))
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const page = await rome.get(`${RESERVATIONS}?limit=1000&cursor=${cursor}`)
    ids.push(...page.json.items.map(({ id }: { id: string }) => id))
    if (!page.json.nextCursor) return ids.sort()
    cursor = encodeURIComponent(page.json.nextCursor)
  }
}
