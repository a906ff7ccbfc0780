import { createLedger, type Ledger, type ReserveCommand } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { encodeEvent } from '../../../apps/broker/src/store/codec/event-codec.ts'
import type { Benchmark, Line, Pace } from '../harness/benchmark.ts'
import { median, type Summary, summarize } from '../harness/statistics.ts'
import { anAdvertisement } from './ledger-values.ts'

const SIZES = [10_000, 100_000] as const
const ROUNDS = 5
const WARM_UP = 300
/** Ten times the clusters may cost ten times as much, and something for what no cache holds. */
const LINEAR_MAX = 15

/** What one request costs inside the ledger: due deadlines, filter, score, choose, lock, explain. */
export const decision: Benchmark = {
  name: 'decision',
  bar: 'p99 ≤ 1 ms at 10,000 clusters, ≤ 10 ms at 100,000, linear',

  async run({ pace }) {
    const [small, large] = SIZES.map((clusters) => measure(clusters, pace))
    if (!small || !large) throw new Error('There is a size for each line.')
    const lines: Line[] = [
      { what: 'decision at 10,000 clusters, p50', measured: small.p50, unit: 'ms' },
      {
        what: 'decision at 10,000 clusters, p99',
        measured: small.p99,
        unit: 'ms',
        bar: { kind: 'atMost', limit: 1, said: '≤ 1 ms' },
      },
      { what: 'decision at 100,000 clusters, p50', measured: large.p50, unit: 'ms' },
      {
        what: 'decision at 100,000 clusters, p99',
        measured: large.p99,
        unit: 'ms',
        bar: { kind: 'atMost', limit: 10, said: '≤ 10 ms' },
      },
      {
        what: 'decision, 100,000 against 10,000 clusters, p50',
        measured: large.p50 / small.p50,
        unit: '×',
        bar: { kind: 'atMost', limit: LINEAR_MAX, said: `linear: ≤ ${LINEAR_MAX} ×` },
      },
    ]
    return { lines, details: { small, large } }
  },
}

function measure(clusters: number, { isQuick }: Pace): Summary {
  const ledger = aFederation(clusters)
  const decisions = (isQuick ? 2e6 : 2e7) / clusters
  decide(ledger, WARM_UP)
  const rounds = Array.from({ length: ROUNDS }, () => summarize(decide(ledger, decisions)))
  return {
    count: ROUNDS * decisions,
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    max: Math.max(...rounds.map(({ max }) => max)),
  }
}

function aFederation(clusters: number): Ledger {
  const ledger = createLedger({
    policy: defaultPolicy,
    currency: 'USD',
    staleAfterMs: 600_000,
    drainTimeoutMs: 120_000,
    reclaimAfterMs: 86_400_000,
  })
  ledger.apply({ kind: 'founded', at: 1, ledgerId: 'benchledger' })
  for (let number = 0; number < clusters; number += 1) {
    const clusterId = `cluster-${number}`
    const advertisement = anAdvertisement(number)
    const command = { kind: 'advertise', door: 'rest', clusterId, advertisement } as const
    ledger.execute(command, { now: 1_000, index: 1 })
  }
  return ledger
}

/** Milliseconds of each decision, with the explanation encoded as the journal stores it. */
function decide(ledger: Ledger, count: number): Float64Array {
  const tookMs = new Float64Array(count)
  for (let at = 0; at < count; at += 1) {
    const command = aRequest(at)
    const startedAt = performance.now()
    const { events, outcome } = ledger.execute(command, { now: 2_000 + at, index: 2 })
    for (const event of events) encodeEvent(event)
    tookMs[at] = performance.now() - startedAt
    if (outcome.kind !== 'reserved') throw new Error(`A decision ended as ${outcome.kind}.`)
  }
  return tookMs
}

/** One in eight asks for a GPU as well. */
function aRequest(number: number): ReserveCommand {
  const wanted = { cpu: BigInt(10 + (number % 5)), memory: 16n * 1_024n ** 2n }
  const withGpu = number % 8 === 0 ? { ...wanted, 'nvidia.com/gpu': 1n } : wanted
  const requester = `requester-${number % 64}`
  return {
    kind: 'reserve',
    door: 'rest',
    requester,
    wanted: withGpu,
    priority: 0,
    durationMs: 3_600_000,
  }
}
