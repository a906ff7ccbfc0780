// Budget: 20 seconds as a sample.
import {
  anAdvertisement,
  aRequest,
  createRawCaller,
  type RawCaller,
  type RawReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { peakRssMbOf, rssMbOf } from '@bourse/testkit/process-usage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const HELD = attackSize({ sample: 600, full: 1_000 })
const READERS = attackSize({ sample: 60, full: 600 })
const PAGE_BYTES_MAX = 1024 * 1024
/** Of one row, and of what surrounds it. */
const ROW_BYTES_MAX = 16 * 1024
const GROWN_MB_MAX = 250

/** As many and as long as fit into what one vector may name. */
const longNames = named(13, 140)

describe('two clusters that use the longest names there are', () => {
  let broker: TestBroker
  let provider: RawCaller
  let requester: RawCaller

  beforeEach(async () => {
    broker = await startBroker({ flags: ['--rate-limit=100000'] })
    provider = await broker.aRawCaller('provider')
    requester = await broker.aRawCaller('requester', 8)
  })
  afterEach(() => broker?.dispose())

  it('hear which field is too long, and nothing is kept of it', async () => {
    const tooLong = { cpu: '1', [`${'x'.repeat(300)}.com/device-with-a-name`]: '1' }
    const inAll = { cpu: '1', ...named(60, 300) }
    const advertised = [tooLong, inAll].map((capacity) => anAdvertisement('provider', capacity))
    const labelled = [
      { labels: { [`${'x'.repeat(400)}`]: 'v' } },
      { labels: { region: 'v'.repeat(64) } },
      { location: 'x'.repeat(300) },
      { clusterName: 'x'.repeat(300) },
    ].map((more) => anAdvertisement('provider', {}, more))

    const replies = await Promise.all([
      ...advertised.map((body) => provider.post(ADVERTISEMENTS, body)),
      ...[tooLong, inAll].map((wanted) => requester.post(RESERVATIONS, aRequest(wanted))),
      ...labelled.map((body) => provider.post(ADVERTISEMENTS, body)),
    ])

    expect(replies.map(firstField)).toEqual([
      expect.stringMatching(/^400 resources\.capacity\["xxx.*: the name is longer than 317/),
      expect.stringMatching(/^400 resources\.capacity: names its resources with more than 2048/),
      expect.stringMatching(/^400 requestedResources\["xxx.*: the name is longer than 317/),
      expect.stringMatching(/^400 requestedResources: names its resources with more than 2048/),
      expect.stringMatching(/^400 labels\["xxx.*: the name is longer than 317/),
      expect.stringMatching(/^400 labels\.region: is longer than 63/),
      expect.stringMatching(/^400 location: /),
      expect.stringMatching(/^400 clusterName: is longer than 253/),
    ])
  })

  it('get pages of a bounded length, and memory stays bounded for clients that do not read', async () => {
    const capacity = { cpu: '1000', ...named(13, 140, '1000000') }
    await provider.post(ADVERTISEMENTS, anAdvertisement('provider', capacity))
    for (let held = 0; held < HELD; held += 40)
      await Promise.all(Array.from({ length: 40 }, () => requester.post(RESERVATIONS, wish())))
    const settledMb = rssMbOf(broker.pid)

    const pages = await allPages(requester)
    const deaf = await Promise.all(Array.from({ length: READERS }, askAndNotRead))

    for (const { text } of pages) expect(text.length).toBeLessThan(PAGE_BYTES_MAX + ROW_BYTES_MAX)
    expect(pages.flatMap(({ json }) => json.items)).toHaveLength(HELD)
    expect(pages.length).toBeGreaterThan(1)
    expect(peakRssMbOf(broker.pid) - settledMb).toBeLessThan(GROWN_MB_MAX)
    for (const close of deaf) close()
    expect(await broker.isReady()).toBe(true)
  })

  const wish = () => aRequest({ cpu: '1m', ...longNames })

  async function allPages(reader: RawCaller): Promise<RawReply[]> {
    const pages: RawReply[] = []
    for (let cursor = ''; ; ) {
      const page = await reader.get(`${RESERVATIONS}?limit=1000${cursor}`)
      pages.push(page)
      if (!page.json.nextCursor) return pages
      cursor = `&cursor=${page.json.nextCursor}`
    }
  }

  /** A connection of its own on which an answer is begun and then left where it is. */
  async function askAndNotRead(): Promise<() => void> {
    const certPath = await broker.certificates.forCluster('requester')
    const caller = createRawCaller({ url: broker.url, certPath })
    const call = caller.open({ path: `${RESERVATIONS}?limit=1000` })
    await new Promise<void>((resolve) => {
      call.once('response', () => resolve())
      call.once('close', () => resolve())
      call.end()
    })
    return () => caller.close()
  }
})

function named(count: number, length: number, amount = '1'): Record<string, string> {
  const name = (n: number) => `${'x'.repeat(60)}.${'y'.repeat(60)}.com/d-${n}`.padEnd(length, 'z')
  const names = Array.from({ length: count }, (_, n) =>
    length > 200 ? `${'x'.repeat(240)}.com/device-${n}` : name(n),
  )
  return Object.fromEntries(names.map((one) => [one, amount]))
}

function firstField({ status, json }: RawReply): string {
  return `${status} ${json.fields?.[0]?.path}: ${json.fields?.[0]?.message}`
}
