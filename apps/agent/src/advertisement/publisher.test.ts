import { BrokerUnreachable, type Published } from '@bourse/client'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import type { Advertised } from './compose-advertisement.ts'
import { createPublisher } from './publisher.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

describe('the publisher', () => {
  it('publishes at once when there is something to say', async () => {
    const { clock, sent } = await scene()

    await clock.advance(0)

    expect(sent).toEqual([{ cpu: '1', at: 0, seenIndex: 7 }])
  })

  it('waits for the first measurement', async () => {
    const { clock, sent, world, publisher } = await scene({ cpu: undefined })
    await clock.advance(60_000)
    expect(sent).toEqual([])

    world.cpu = '2'
    publisher.poke()
    await clock.advance(0)

    expect(sent).toEqual([{ cpu: '2', at: 60_000, seenIndex: 7 }])
  })

  it('gathers what changes together, and sends it within half a second', async () => {
    const { clock, sent, world, publisher } = await scene()
    await clock.advance(1_000)

    for (const cpu of ['2', '3', '4', '5', '6', '7', '8', '9']) {
      world.cpu = cpu
      publisher.poke()
      await clock.advance(70)
    }

    // Poked without rest from 1,000 on: sent 350 ms after the first.
    expect(sent.slice(1).map(({ at }) => at)).toEqual([1_350])
    await clock.advance(500)
    expect(sent.at(-1)).toMatchObject({ cpu: '9' })
  })

  it('is silent about a change that changes nothing', async () => {
    const { clock, sent, publisher } = await scene()
    await clock.advance(1_000)

    publisher.poke()
    await clock.advance(5_000)

    expect(sent).toHaveLength(1)
  })

  it('confirms once that something ended, though it was news before the broker ended it', async () => {
    const { clock, sent, world, publisher } = await scene()
    await clock.advance(1_000)

    Object.assign(world, { seenIndex: 9, lastEnding: 9 })
    publisher.poke()
    await clock.advance(1_000)
    publisher.poke()
    await clock.advance(1_000)

    expect(sent.map(({ seenIndex }) => seenIndex)).toEqual([7, 9])
  })

  it('sends a sign of life every interval, and shows nothing new for it', async () => {
    const { clock, sent, world } = await scene()

    await clock.advance(65_000)

    expect(sent.map(({ at }) => at)).toEqual([0, 28_500, 57_000])
    expect(world.shown).toBe(1)
  })

  it.each([
    { chance: 0, everyMs: 30_000 },
    { chance: 1, everyMs: 27_000 },
  ])(
    'is never later than the interval, for every random number ($chance)',
    async ({ chance, everyMs }) => {
      const { clock, sent } = await scene({ cpu: '1', chance })

      await clock.advance(2 * everyMs)

      expect(sent.map(({ at }) => at)).toEqual([0, everyMs, 2 * everyMs])
    },
  )

  it('tries again with growing pauses while the broker is away, then goes on as before', async () => {
    const { clock, sent, world, publisher } = await scene({ cpu: '1', isAway: true })
    await clock.advance(0)
    expect(publisher.state()).toMatchObject({
      failure: { message: 'The broker is away.', attempts: 1 },
    })
    await clock.advance(6_000)
    expect(sent).toEqual([])
    expect(publisher.state().failure?.attempts).toBe(5)

    world.isAway = false
    world.cpu = '3'
    await clock.advance(30_000)

    expect(sent[0]).toMatchObject({ cpu: '3' })
    expect(publisher.state().failure).toBeUndefined()
  })

  it('advertises at once, and once, to a broker of another ledger', async () => {
    const { clock, sent, publisher } = await scene()
    await clock.advance(1_000)

    publisher.heardFrom({ ledgerId: 'L1', term: 'T1' })
    await clock.advance(1_000)
    expect(sent).toHaveLength(1)
    publisher.heardFrom({ ledgerId: 'L2', term: 'T1' })
    publisher.heardFrom({ ledgerId: 'L2', term: 'T1' })
    await clock.advance(0)

    expect(sent.map(({ at }) => at)).toEqual([0, 2_000])
  })

  it('advertises at once to a new leader of the same ledger', async () => {
    const { clock, sent, publisher } = await scene()
    await clock.advance(1_000)

    publisher.heardFrom({ ledgerId: 'L1', term: 'T2' })
    await clock.advance(0)

    expect(sent.map(({ at }) => at)).toEqual([0, 1_000])
  })

  it('does not wait out the pause of a failure when another ledger answers', async () => {
    const { clock, sent, world, publisher } = await scene({ cpu: '1', isAway: true })
    publisher.heardFrom({ ledgerId: 'L1', term: 'T1' })
    await clock.advance(60_000)

    world.isAway = false
    publisher.heardFrom({ ledgerId: 'L2', term: 'T1' })
    await clock.advance(0)

    expect(sent.map(({ at }) => at)).toEqual([60_000])
  })

  it('logs once what an older broker does not know', async () => {
    const { clock, world } = await scene({ cpu: '1', ignored: ['largestFit'] })

    await clock.advance(65_000)

    expect(world.warned).toEqual([{ ignored: ['largestFit'] }])
  })

  it('says once that the broker does not count its prices, and shows that', async () => {
    const { clock, world, publisher } = await scene()
    await clock.advance(1_000)
    expect(world).toMatchObject({ shown: 1, warned: [] })

    world.unpriced = 'prices in EUR do not count: no rate to USD is known'
    await clock.advance(90_000)

    expect(world.warned).toEqual([`the broker says: ${world.unpriced}`])
    expect(world.shown).toBe(2)
    expect(publisher.state().accepted?.unpriced).toBe(world.unpriced)
  })

  it('says nothing more once it is stopped', async () => {
    const { clock, sent, publisher, world } = await scene()
    await clock.advance(0)

    publisher.stop()
    world.cpu = '5'
    publisher.poke()
    await clock.advance(60_000)

    expect(sent).toHaveLength(1)
  })
})

type Start = Readonly<{
  cpu: string | undefined
  isAway?: true
  chance?: number
  ignored?: readonly string[]
}>

async function scene(start: Start = { cpu: '1' }) {
  const clock = { ...steppedClock(), random: () => start.chance ?? 0.5 }
  const startedAt = clock.now()
  const sent: { cpu: unknown; at: number; seenIndex: unknown }[] = []
  const world = {
    cpu: start.cpu,
    isAway: start.isAway === true,
    shown: 0,
    seenIndex: 7,
    lastEnding: undefined as number | undefined,
    unpriced: undefined as string | undefined,
    warned: [] as unknown[],
  }
  const publisher = createPublisher({
    broker: { publishAdvertisement },
    compose: () => (world.cpu === undefined ? undefined : advertised(world.cpu)),
    seenIndex: () => world.seenIndex,
    lastEnding: () => world.lastEnding,
    accepted() {},
    attempted() {},
    changed: () => world.shown++,
    log: { ...quiet, warn: (said: unknown) => world.warned.push(said) },
    requeueMs: 30_000,
    clock,
  })
  publisher.start()
  return { clock, sent, world, publisher }

  async function publishAdvertisement({ resources, seenIndex }: Advertised): Promise<Published> {
    if (world.isAway) throw new BrokerUnreachable('The broker is away.')
    sent.push({ cpu: resources.capacity?.cpu, at: clock.now() - startedAt, seenIndex })
    const { ignored = [] } = start
    // The publisher passes the answer on and looks at nothing else in it.
    const advertisement = { status: { unpriced: world.unpriced } }
    const answer = { ledgerId: 'L1', term: 'T1', advertisement, instructions: [], ignored }
    return answer as unknown as Published
  }
}

function advertised(cpu: string): Advertised {
  return { clusterID: 'paris', resources: { capacity: { cpu } } }
}
