// Budget: 40 seconds as a sample.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  anAdvertisement,
  aRequest,
  type RawCaller,
  type RawReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const MISSES = attackSize({ sample: 600, full: 2_141 })
const BLOBS = attackSize({ sample: 150, full: 3_000 })
const BLOB_LENGTH = 60_000
const LONG_ADDRESS_LENGTH = 15_000
const MIB = 1024 * 1024
/** More than it takes of the shortest to fill a MiB. */
const WRITES_MAX = 12_000
const PEERING = `ps-${'a'.repeat(26)}`

describe('a cluster that fills the disk', () => {
  it('may write so much a day; then it is told when to come again, and others are not', async () => {
    const broker = await startBroker({ flags: ['--journal-mib-per-day=4', '--rate-limit=100000'] })
    onTestFinished(broker.dispose)
    const mallory = await broker.aRawCaller('mallory', 4)
    const paris = await broker.aRawCaller('paris')
    const rome = await broker.aRawCaller('rome')
    await paris.post(ADVERTISEMENTS, anAdvertisement('paris', { cpu: '100' }))
    const held = await mallory.post(RESERVATIONS, aRequest())

    const replies = await each(BLOBS, (n) =>
      mallory.post(ADVERTISEMENTS, anAdvertisement('mallory', {}, { liqo: blob(n) })),
    )
    const { size } = statSync(join(broker.dataDir, 'bourse.db'))
    const wal = statSync(join(broker.dataDir, 'bourse.db-wal')).size
    const given = await mallory.send({ method: 'DELETE', path: `${RESERVATIONS}/${held.json.id}` })
    const others = await rome.post(RESERVATIONS, aRequest())

    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(BLOBS / 4)
    expect(refused[0]?.json.detail).toMatch(/^mallory has used its daily share of the journal/)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(size + wal).toBeLessThan(40e6)
    // What it has it may always give back.
    expect([given.status, others.status]).toEqual([200, 201])
  })

  it('is not forgiven when the broker is killed, though a snapshot covers what it wrote', async () => {
    const broker = await startBroker({
      flags: ['--journal-mib-per-day=1', '--snapshot-every=100', '--rate-limit=100000'],
    })
    onTestFinished(broker.dispose)
    const mallory = await broker.aRawCaller('mallory')
    const rome = await broker.aRawCaller('rome', 8)
    const fill = (n: number) =>
      mallory.post(ADVERTISEMENTS, anAdvertisement('mallory', {}, { liqo: blob(n) }))
    await each(40, fill)
    await each(200, (n) => rome.post(ADVERTISEMENTS, anAdvertisement('rome', { cpu: `${n + 9}` })))
    await expect.poll(() => snapshotsOf(broker)).toBeGreaterThan(0)

    const before = await fill(50)
    const due = waitOf(before)
    const waits = [due]
    for (const n of [51, 52]) {
      await broker.kill('SIGKILL')
      broker.launch()
      await broker.ready()
      waits.push(waitOf(await fill(n)))
    }

    expect(existsSync(join(broker.dataDir, 'bourse.journal-budget'))).toBe(true)
    expect(before.json.detail).toMatch(/^mallory has used its daily share of the journal/)
    // NaN, if it may write.
    for (const wait of waits) expect(wait / 86_400).toBeCloseTo(due / 86_400, 1)
    expect(due).toBeGreaterThan(60)
    expect((await rome.post(ADVERTISEMENTS, anAdvertisement('rome'))).status).toBe(200)
  })

  it('may not go on by any other way of writing, nor fill the log with it', async () => {
    const broker = await startBroker({ flags: ['--journal-mib-per-day=1', '--rate-limit=100000'] })
    onTestFinished(broker.dispose)
    const paris = await broker.aRawCaller('paris')
    await paris.post(ADVERTISEMENTS, anAdvertisement('paris', { cpu: '100' }))
    const before = { text: textBytesOf(broker), log: broker.logs().length }

    const refused: string[] = []
    for (const [name, attack] of WAYS) {
      const mallory = await broker.aRawCaller(name, 8)
      await mallory.post(ADVERTISEMENTS, anAdvertisement(name))
      const send = await attack(mallory, name)
      const replies = await each(WRITES_MAX, send, isRefused)
      if (replies.some(isRefused)) refused.push(name)
    }

    expect(refused).toEqual(WAYS.map(([name]) => name))
    expect(textBytesOf(broker) - before.text).toBeLessThan(WAYS.length * 1.25 * MIB)
    expect(broker.logs().length - before.log).toBeLessThan(WAYS.length * 0.4 * MIB)
  })
})

type Way = (caller: RawCaller, id: string) => Promise<(n: number) => ReturnType<RawCaller['get']>>

/** Each is a cluster of its own; the shortest events are the last. */
const EVERY_WAY: Readonly<Record<string, Way>> = {
  'wide-blobs': async (caller, id) => (n) =>
    caller.post(ADVERTISEMENTS, anAdvertisement(id, {}, { liqo: `${'€'.repeat(20_000)}${n}` })),
  troubles: async (caller) => {
    await caller.post(RESERVATIONS, aRequest({ cpu: '1m' }, { targetClusterID: 'paris' }))
    const body = { providerID: 'paris', networking: 'none', hello: 'x' }
    await caller.send({ method: 'PUT', path: `/api/v1/peerings/${PEERING}`, body })
    return (n) =>
      caller.post(`/api/v1/peerings/${PEERING}/trouble`, {
        ...{ reason: 'No', message: `${'€'.repeat(1_000)}${n}` },
      })
  },
  renewals: async (caller) => {
    const { json } = await caller.post(RESERVATIONS, aRequest({ cpu: '1m' }))
    return (n) => caller.post(`${RESERVATIONS}/${json.id}/renew`, { duration: `${n + 60}s` })
  },
  tombstones: async (caller) => (n) =>
    caller.send({ method: 'DELETE', path: `${RESERVATIONS}?requestId=${'t'.repeat(120)}${n}` }),
  returns: async (caller, id) => async (n) =>
    n % 2
      ? caller.post(ADVERTISEMENTS, anAdvertisement(id))
      : caller.send({ method: 'DELETE', path: `${ADVERTISEMENTS}/${id}` }),
  withdrawals: async (caller, id) => () => caller.post(`${ADVERTISEMENTS}/${id}/withdraw`, {}),
}
const WAYS = Object.entries(EVERY_WAY).filter(([name]) =>
  attackSize({ sample: ['troubles', 'tombstones', 'withdrawals'].includes(name), full: true }),
)

describe('a cluster that fills the log', () => {
  it('with addresses of 15 KB and wrong bodies is told of in a few short lines', async () => {
    const broker = await startBroker()
    onTestFinished(broker.dispose)
    const mallory = await broker.aRawCaller('mallory', 8)
    const before = broker.logs().length

    await each(MISSES, (n) => mallory.get(`/api/v1/${'x'.repeat(LONG_ADDRESS_LENGTH)}${n}`))
    await each(MISSES / 10, (n) =>
      mallory.post(RESERVATIONS, aRequest({ [`${'y'.repeat(3_000)}/${n}`]: '1' })),
    )
    await each(MISSES / 10, (n) =>
      mallory.get(`${RESERVATIONS}?limit=${'z'.repeat(5_000)}&cursor=${n}`),
    )

    const written = broker.logs().slice(before)
    const lines = written.split('\n').filter((line) => line.includes('"caller":"mallory"'))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThan(200)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000)
    expect(await broker.isReady()).toBe(true)
  })
})

const blob = (n: number) => `${'x'.repeat(BLOB_LENGTH)}${n}`
const isRefused = ({ status }: RawReply) => status === 429
const waitOf = ({ headers }: RawReply) => Number(headers['retry-after'])

function textBytesOf(broker: TestBroker): number {
  return numberIn(broker, 'SELECT sum(octet_length(text)) FROM batches')
}

function snapshotsOf(broker: TestBroker): number {
  return numberIn(broker, 'SELECT count(*) FROM snapshots WHERE finished = 1')
}

function numberIn({ dataDir }: TestBroker, question: string): number {
  using db = new DatabaseSync(join(dataDir, 'bourse.db'), { readOnly: true })
  return Number(Object.values(db.prepare(question).get() ?? {})[0])
}

/** Eight at a time, as often as told or until one is answered in this way. */
async function each(
  count: number,
  send: (n: number) => ReturnType<RawCaller['get']>,
  isLast: (reply: RawReply) => boolean = () => false,
): Promise<RawReply[]> {
  const replies: RawReply[] = []
  let next = 0
  const sender = async () => {
    while (next < count) {
      const reply = await send(next++)
      replies.push(reply)
      if (isLast(reply)) next = count
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  return replies
}
