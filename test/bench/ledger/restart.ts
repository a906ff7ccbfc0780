import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { peakRssMbOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Stage } from '../harness/benchmark.ts'
import { end, prepareMeasured } from '../harness/broker-process.ts'
import { median } from '../harness/statistics.ts'
import { copyLargeLedger } from './large-ledger.ts'

const RESTARTS = 3
const READY_S_MAX = 10
const PEAK_MB_MAX = 1_200
const LOOK_EVERY_MS = 10
const GIVE_UP_MS = 120_000

/** From the start of the process until it says that it is ready. */
export const restart: Benchmark = {
  name: 'restart',
  bar: '≤ 10 s and ≤ 1.2 GB with 1,000,000 live reservations and 100,000 events past the snapshot',

  async run(stage) {
    const restarts = []
    for (let nth = 0; nth < (stage.pace.isQuick ? 1 : RESTARTS); nth += 1)
      restarts.push(await restartOnce(stage))
    return {
      lines: [
        {
          what: 'restart to ready, 1,000,000 live reservations, 100,000 events',
          measured: median(restarts.map(({ seconds }) => seconds)),
          unit: 's',
          bar: { kind: 'atMost', limit: READY_S_MAX, said: '≤ 10 s' },
        },
        {
          what: 'most memory (RSS) of that restart',
          measured: median(restarts.map(({ peakMb }) => peakMb)),
          unit: 'MB',
          bar: { kind: 'atMost', limit: PEAK_MB_MAX, said: '≤ 1.2 GB' },
        },
      ],
      details: restarts,
    }
  },
}

async function restartOnce(stage: Stage) {
  const dataDir = await copyLargeLedger(stage, 'restart')
  const broker = await prepareMeasured(stage, { dataDir })
  const startedAt = performance.now()
  broker.launch()
  while (!(await broker.isReady())) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error('The broker never got ready.')
    // Asking for the process id says so if it has ended.
    if (broker.pid) await sleep(LOOK_EVERY_MS)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const peakMb = peakRssMbOf(broker.pid)
  await end(broker)
  rmSync(dataDir, { recursive: true })
  return { seconds, peakMb }
}
