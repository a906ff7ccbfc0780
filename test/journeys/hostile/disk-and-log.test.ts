// Budget: 20 seconds as a sample.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import {
  anAdvertisement,
  aRequest,
  type RawCaller,
  type RawReply,
  startBroker,
} from '@bourse/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const MISSES = attackSize({ sample: 600, full: 2_141 })
const BLOBS = attackSize({ sample: 150, full: 3_000 })
const BLOB_LENGTH = 60_000
const LONG_ADDRESS_LENGTH = 15_000

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
      mallory.post(
        ADVERTISEMENTS,
        anAdvertisement('mallory', {}, { liqo: `${'x'.repeat(BLOB_LENGTH)}${n}` }),
      ),
    )
    const { size } = statSync(join(broker.dataDir, 'bourse.db'))
    const wal = statSync(join(broker.dataDir, 'bourse.db-wal')).size
    const given = await mallory.send({ method: 'DELETE', path: `${RESERVATIONS}/${held.json.id}` })
    const others = await rome.post(RESERVATIONS, aRequest())

    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(BLOBS / 4)
    expect(refused[0]?.json.detail).toMatch(
      /^mallory has written as much as a cluster may in a day/,
    )
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(size + wal).toBeLessThan(40e6)
    // What it has it may always give back.
    expect([given.status, others.status]).toEqual([200, 201])
  })
})

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

/** Eight at a time. */
async function each(
  count: number,
  send: (n: number) => ReturnType<RawCaller['get']>,
): Promise<RawReply[]> {
  const replies: RawReply[] = []
  let next = 0
  const sender = async () => {
    while (next < count) replies.push(await send(next++))
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  return replies
}
