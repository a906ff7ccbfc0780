import type { Node } from '@bourse/testkit/liqo'
import type { Benchmark } from '../harness/benchmark.ts'
import { summarize } from '../harness/statistics.ts'
import { type Peers, startPeers } from './peers.ts'

const FIRST_MS_MAX = 6_000
const AGAIN_MS_MAX = 2_000
const RELEASE_MS_MAX = 10_000
const AT_ONCE = 20
const SAMPLES = 10
const SAMPLES_QUICK = 2

type Measure = (peers: Peers, samples: number) => Promise<readonly number[]>

/** Each with clusters of its own; `measure` hands back milliseconds. */
function peeringBenchmark(
  what: Readonly<{ name: string; bar: string; what: string; limitMs: number; said: string }>,
  lingers: '0s' | '10m',
  measure: Measure,
): Benchmark {
  const bar = { kind: 'atMost', limit: what.limitMs, said: what.said } as const
  return {
    name: what.name,
    bar: what.bar,
    async run({ pace }) {
      const peers = await startPeers(lingers)
      const taken = await measure(peers, pace.isQuick ? SAMPLES_QUICK : SAMPLES)
      await peers.stop()
      const { p50, max } = summarize(taken)
      return {
        lines: [
          {
            what: `${what.what}, p50`,
            measured: p50,
            unit: 'ms',
            bar: { ...bar, needsIdleMachine: true },
          },
          { what: `${what.what}, longest of ${taken.length}`, measured: max, unit: 'ms' },
        ],
        details: taken,
      }
    },
  }
}

const inTurn = async (count: number, one: (name: string) => Promise<number>) => {
  const taken: number[] = []
  for (let nth = 0; nth < count; nth++) taken.push(await one(`job-${nth}`))
  return taken
}

const peeringFirst = peeringBenchmark(
  {
    name: 'peering-first',
    bar: 'a node that is ready ≤ 6 s after a ResourceRequest, the peering included',
    what: 'ResourceRequest to borrowed node, first of a pair',
    limitMs: FIRST_MS_MAX,
    said: '≤ 6 s',
  },
  '0s',
  (peers, samples) =>
    inTurn(samples, async (name) => {
      const taken = await peers.borrow(name)
      await peers.giveBack([name])
      await peers.strangers()
      return taken
    }),
)

const peeringAgain = peeringBenchmark(
  {
    name: 'peering-again',
    bar: 'a node that is ready ≤ 2 s after a ResourceRequest where the clusters are peered',
    what: 'ResourceRequest to borrowed node, peered already',
    limitMs: AGAIN_MS_MAX,
    said: '≤ 2 s',
  },
  '10m',
  async (peers, samples) => {
    await peers.borrow('first')
    return inTurn(samples, peers.borrow)
  },
)

const peeringRelease = peeringBenchmark(
  {
    name: 'peering-release',
    bar: 'nothing of a reservation is left in either cluster ≤ 10 s after its release',
    what: 'ResourceRequest deleted to nothing left in both clusters',
    limitMs: RELEASE_MS_MAX,
    said: '≤ 10 s',
  },
  '10m',
  (peers, samples) =>
    inTurn(samples, async (name) => {
      await peers.borrow(name)
      return peers.giveBack([name])
    }),
)

const peeringTwenty: Benchmark = {
  name: 'peering-twenty',
  bar: '20 reservations of one pair at once: 20 nodes, 20 quotas, all ready',
  async run() {
    const peers = await startPeers('10m')
    const names = Array.from({ length: AT_ONCE }, (_, nth) => `job-${nth}`)
    const taken = await Promise.all(names.map(peers.borrow))
    const nodes = await peers.virtualNodes()
    const correct = Math.min(nodes.filter(isOneCore).length, await peers.liqoQuotas())
    const releaseMs = await peers.giveBack(names)
    await peers.stop()
    return {
      lines: [
        {
          what: 'nodes of the right size for 20 at once',
          measured: correct,
          unit: 'reservations',
          bar: { kind: 'atLeast', limit: AT_ONCE, said: 'all 20' },
        },
        { what: 'the last of these 20 was ready', measured: summarize(taken).max, unit: 'ms' },
        { what: 'all 20 given back', measured: releaseMs, unit: 'ms' },
      ],
      details: taken,
    }
  },
}

const isOneCore = ({ status }: Node) =>
  status?.allocatable.cpu === '1' && status.allocatable.memory === '1Gi'

export const peeringBenchmarks = [peeringFirst, peeringAgain, peeringRelease, peeringTwenty]
