import { startBroker } from '@bourse/testkit'
import { judgeLoad, QUIET_BARS, type Verdict } from './load/judge-load.ts'
import { type LoadScale, runLoad } from './load/run-load.ts'

/**
 * A day's work of a large federation on one broker for half an hour, then ten times what it can do:
 * `node test/soak/load.ts [minutes]`, after `make build`. Ends with 1 if a bar is missed.
 */
const MINUTES = Number(process.argv[2] ?? 30)
const SPELL_MS = 10_000

const scale: LoadScale = {
  clusters: Number(process.env.CLUSTERS ?? 5_000),
  requesters: 128,
  reservationsPerSecond: Number(process.env.RATE ?? 500),
  heartbeatMs: 30_000,
  spells: Math.max(3, Math.round((MINUTES * 60_000) / SPELL_MS)),
  spellMs: SPELL_MS,
  // Each caller has more under way than may wait for it, and all of them twice what is decided in
  // a second.
  overload: { callers: 8, connections: 2_400, depth: 4, burstMs: 10_000, burstMaxMs: 10_000 },
  timeoutMs: 60_000,
}

const broker = await startBroker({
  // What is shipped is the bundle.
  env: { BOURSE_MAIN: new URL('../../dist/bourse.js', import.meta.url).pathname },
})
try {
  const { clusters, reservationsPerSecond } = scale
  console.log(
    `${clusters} clusters, ${reservationsPerSecond} reservations a second, ${MINUTES} min`,
  )
  console.log('  reserved/s  heartbeats/s   p50 ms   p99 ms   max ms   RSS MB   % of a core')
  const outcome = await runLoad(broker, scale, (spell) => {
    const { seconds, reservations, heartbeats, p50, p99, max, rssMb, corePercent } = spell
    const figures = [
      reservations / seconds,
      heartbeats / seconds,
      p50,
      p99,
      max,
      rssMb,
      corePercent,
    ]
    const widths = [12, 14, 9, 9, 9, 9, 14]
    console.log(figures.map((one, nth) => one.toFixed(1).padStart(widths[nth] ?? 9)).join(''))
  })
  console.log('overload, by status:', JSON.stringify(outcome.overload.statuses))
  const verdicts = judgeLoad(outcome, scale, QUIET_BARS)
  print(verdicts)
  process.exitCode = verdicts.every(({ holds }) => holds) ? 0 : 1
} finally {
  await broker.dispose()
}

function print(verdicts: readonly Verdict[]): void {
  for (const { what, measured, bar, holds } of verdicts)
    console.log(`${holds ? 'holds ' : 'MISSED'}  ${what.padEnd(44)} ${measured.padEnd(28)} ${bar}`)
}
