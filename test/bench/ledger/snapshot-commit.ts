import { setTimeout as sleep } from 'node:timers/promises'
import { filesIn } from '../../../apps/broker/src/store/sqlite/disk/files.ts'
import { openForReading } from '../../../apps/broker/src/store/sqlite/disk/open-database.ts'
import { readSnapshots } from '../../../apps/broker/src/store/sqlite/tables/snapshot-rows.ts'
import type { Benchmark } from '../harness/benchmark.ts'
import { end, portOf, startMeasured } from '../harness/broker-process.ts'
import { summarize } from '../harness/statistics.ts'
import { ask, openConnection } from '../load/raw-connection.ts'
import { numbered, requestBytes, reservationBody } from '../load/requests.ts'
import { copyLargeLedger } from './large-ledger.ts'

const COMMIT_MS_MAX = 50
const READY_WITHIN_MS = 120_000
/** The fewest events that may lie between two snapshots: one is taken almost at once. */
const SNAPSHOT_EVERY = 100
const LOOK_EVERY_MS = 50
const GIVE_UP_MS = 180_000
/** The state is captured just before the first trace of the snapshot is on disk. */
const BEFORE_MS = 500

type Sample = Readonly<{ answeredAt: number; tookMs: number }>

/** What a requester waits for while the whole state is written beside it. */
export const snapshotCommit: Benchmark = {
  name: 'snapshot-commit',
  bar: 'commit p99 ≤ 50 ms while a snapshot of 1,000,000 reservations is taken',

  async run(stage) {
    const dataDir = await copyLargeLedger(stage, 'snapshot-commit')
    const flags = [`--snapshot-every=${SNAPSHOT_EVERY}`]
    const broker = await startMeasured(stage, { dataDir, flags }, READY_WITHIN_MS)
    const [requester] = await stage.certificates.clusters('requester', 1)
    const directory = requester?.directory ?? ''
    const reserving = reserveUntilStopped(portOf(broker), directory)
    const { beganAt, endedAt } = await watchSnapshot(dataDir)
    const samples = await reserving.stop()
    await end(broker)

    const during = samples.filter(
      ({ answeredAt, tookMs }) =>
        answeredAt >= beganAt - BEFORE_MS && answeredAt - tookMs <= endedAt,
    )
    const { count, p50, p99, max } = summarize(during.map(({ tookMs }) => tookMs))
    const seconds = (endedAt - beganAt) / 1_000
    return {
      lines: [
        {
          what: 'reserve while a snapshot of 1,000,000 is taken, p99',
          measured: p99,
          unit: 'ms',
          bar: { kind: 'atMost', limit: COMMIT_MS_MAX, said: '≤ 50 ms' },
        },
        { what: 'the longest of these', measured: max, unit: 'ms' },
        { what: 'that snapshot took', measured: seconds, unit: 's' },
      ],
      details: { count, p50, p99, max, seconds },
    }
  },
}

/** One after the other: each answer is a commit of its own, and its time is more than the commit's. */
function reserveUntilStopped(port: number, directory: string) {
  const samples: Sample[] = []
  let isStopped = false
  const done = reserve()
  return {
    async stop(): Promise<Sample[]> {
      isStopped = true
      await done
      return samples
    },
  }

  async function reserve(): Promise<void> {
    const connection = await openConnection({ port, directory })
    const body = reservationBody(`during-${Date.now()}`)
    const next = numbered(requestBytes('POST', '/reservations', body), 0)
    while (!isStopped) {
      const sentAt = performance.now()
      const { status, body: said } = await ask(connection, next())
      if (status !== 201) throw new Error(`Not reserved: ${status} ${said}`)
      samples.push({ answeredAt: performance.now(), tookMs: performance.now() - sentAt })
    }
    connection.close()
  }
}

/** Sees a snapshot begin and end, on a connection of its own that only reads. */
async function watchSnapshot(dataDir: string): Promise<{ beganAt: number; endedAt: number }> {
  const db = openForReading(filesIn(dataDir).database)
  const finished = () => readSnapshots(db).filter(({ isFinished }) => isFinished).length
  const isUnderWay = () => readSnapshots(db).some(({ isFinished }) => !isFinished)
  const finishedBefore = finished()
  await until('A snapshot begins', () => isUnderWay() || finished() > finishedBefore)
  const beganAt = performance.now()
  await until('A snapshot is finished', () => finished() > finishedBefore)
  const endedAt = performance.now()
  db.close()
  return { beganAt, endedAt }
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const startedAt = performance.now()
  while (!isSo()) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`Not seen in time: ${what}.`)
    await sleep(LOOK_EVERY_MS)
  }
}
