import { startBroker, type TestBroker } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgeLoad, type LoadBars, QUIET_BARS } from '../../soak/load/judge-load.ts'
import { type LoadScale, runLoad } from '../../soak/load/run-load.ts'
import { attackSize } from './attack-size.ts'

/** The short form of `make soak-load`: daily work, then far more at once than can be decided. */
const SCALE: LoadScale = {
  clusters: attackSize({ sample: 200, full: 2_000 }),
  requesters: 16,
  reservationsPerSecond: attackSize({ sample: 50, full: 500 }),
  heartbeatMs: 5_000,
  spells: attackSize({ sample: 3, full: 12 }),
  spellMs: attackSize({ sample: 2_000, full: 10_000 }),
  overload: {
    // Each has more under way than may wait for it; deeper connections would be cut off.
    callers: attackSize({ sample: 2, full: 8 }),
    connections: attackSize({ sample: 700, full: 2_400 }),
    depth: 4,
    burstMs: attackSize({ sample: 4_000, full: 10_000 }),
    burstMaxMs: 60_000,
  },
  timeoutMs: 120_000,
}
/** A machine in use serves its own processes first: what is far from both right and wrong. */
const BUSY_BARS: LoadBars = {
  rssGrowthMax: 2,
  rssSlackMb: 30,
  p99GrowthMax: 1_000,
  p99FloorMs: 1,
  recoveredWithinMs: 60_000,
  rateShareMin: 0.1,
  burstRssMbMax: 500,
}
const BARS = attackSize({ sample: BUSY_BARS, full: QUIET_BARS })

describe('overload', () => {
  let broker: TestBroker

  beforeAll(async () => {
    broker = await startBroker()
  })
  afterAll(() => broker?.dispose())

  it('is refused with 429 or 503 and soon forgotten', async () => {
    const outcome = await runLoad(broker, SCALE)

    const missed = judgeLoad(outcome, SCALE, BARS).filter(({ holds }) => !holds)
    expect(missed, JSON.stringify(outcome.overload)).toEqual([])
    expect(await broker.isReady()).toBe(true)
    expect(broker.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/)
  })
})
