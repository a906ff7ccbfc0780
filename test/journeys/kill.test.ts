// Budget: 180 seconds for 50 kills on two cores. KILLS=500 is the soak; SEED repeats a story.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createChance,
  repositoryRoot,
  startBroker,
  startChild,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, glance } from './kill/account.ts'
import { createAcknowledged } from './kill/acknowledged.ts'
import { type Caller, createLoad } from './kill/load.ts'

const KILLS = Number(process.env.KILLS ?? 50)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
/** Twice a start and a look at all the books, on a machine that is busy with other things. */
const KILL_BUDGET_MS = 30_000
/**
 * The books grow with every kill, and all of them are gone through: in a long run after each tenth
 * kill only, with a glance at the others. What a kill loses is still lost then.
 */
const isReckoningDay = (kills: number) => kills < 50 || kills % 10 === 9
const SNAPSHOT_EVERY = 200
/** The shortest --history, and a little more. */
const HISTORY_MS = 65_000
const PROVIDERS = ['paris', 'berlin', 'oslo', 'turin']
const REQUESTERS = ['rome', 'madrid', 'vienna', 'lisbon', 'dublin', 'athens'].flatMap((city) => [
  city,
  `${city}-2`,
])
/** Patient enough to outlast any restart: the answer must come in the end. */
const PATIENT = { attemptsMax: 1_000, baseMs: 10, capMs: 100, budgetMs: 60_000 }

describe('a broker that is killed under load', () => {
  const chance = createChance(SEED)
  const acknowledged = createAcknowledged()
  const compaction = createCompaction()
  let broker: TestBroker

  beforeAll(async () => {
    // Snapshots all the time, and compaction after the first minute, so that kills hit them too.
    const snapshots = `--snapshot-every=${SNAPSHOT_EVERY}`
    const flags = [snapshots, '--history=1m', '--drain-timeout=1s']
    broker = await startBroker({ flags })
  })
  afterAll(() => broker?.dispose())

  it(
    `keeps every acknowledged answer through ${KILLS} kills (SEED=${SEED})`,
    async () => {
      const requesters = await callers(REQUESTERS)
      const providers = await callers(PROVIDERS)
      const operator = await broker.anOperator(PATIENT)
      const clients = new Map(requesters.map(({ clusterId, client }) => [clusterId, client]))
      const load = createLoad({ requesters, providers, acknowledged, chance })
      const books = { operator, clients, acknowledged, chance }

      for (let kills = 0; kills < KILLS; kills++) {
        await load.resume()
        await sleep(chance.between(0, 280))
        // A kill without load proves nothing: answers come, and others are awaited.
        expect(load.waiting()).toBeGreaterThan(0)
        await broker.kill('SIGKILL')
        await startAgain()
        await load.pause()

        const look = isReckoningDay(kills) ? account : glance
        expect(await look(books), `after kill ${kills + 1}, SEED=${SEED}`).toEqual([])
        compaction.note(acknowledged.index())
      }

      expect(acknowledged.grants.size).toBeGreaterThan(KILLS)
      // Some answers were lost on their way, and found again by their request ids.
      expect(acknowledged.recovered()).toBeGreaterThanOrEqual(Math.floor(KILLS / 50))
      expect(await account(books, { all: true })).toEqual([])
    },
    30_000 + KILLS * KILL_BUDGET_MS,
  )

  it('leaves a ledger that verifies', async () => {
    await broker.stop()

    const command = [
      `${repositoryRoot}/bin/bourse`,
      'ledger',
      'verify',
      '--data-dir',
      broker.dataDir,
      '--output=json',
    ]
    const verify = startChild(command)

    expect(await verify.exited, verify.output()).toEqual({ code: 0, signal: null })
    const { snapshots, state } = JSON.parse(verify.output())
    expect(snapshots).toBeGreaterThan(0)
    expect(compaction.isDue() && state.floor.index === 0).toBe(false)
  })

  function callers(clusterIds: readonly string[]): Promise<Caller[]> {
    return Promise.all(
      clusterIds.map(async (clusterId) => {
        const client = await broker.aClient(clusterId, PATIENT)
        // Only of a broker that it has heard once does a client know that repeating is safe.
        await client.ping()
        return { clusterId, client }
      }),
    )
  }

  /** Now and then it is killed again before it is even ready. */
  async function startAgain(): Promise<void> {
    broker.launch()
    if (chance.next() < 0.2) {
      await sleep(chance.between(0, 600))
      await broker.kill('SIGKILL')
      broker.launch()
    }
    await broker.ready()
  }
})

/**
 * Batches are cut off with the first snapshot after an earlier one has become as old as the history:
 * never on a machine so fast that all is over by then. A batch has an event at least.
 */
function createCompaction() {
  const enough = 2 * SNAPSHOT_EVERY
  let snapshotAt = Number.POSITIVE_INFINITY
  let olderIndex = Number.POSITIVE_INFINITY
  let index = 0
  return {
    note(now: number): void {
      index = now
      if (index >= enough) snapshotAt = Math.min(snapshotAt, performance.now())
      if (performance.now() - snapshotAt > HISTORY_MS) olderIndex = Math.min(olderIndex, index)
    },
    isDue: () => index >= olderIndex + enough,
  }
}
