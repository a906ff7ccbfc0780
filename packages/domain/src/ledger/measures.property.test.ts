import fc from 'fast-check'
import { expect, it } from 'vitest'
import { strictRules } from '../../fixtures/placement/strict-rules.ts'
import { defaultPolicy, type Policy, type Rules, rules } from '../placement/index.ts'
import { createLedger } from './create-ledger.ts'

type Measure = Rules['measures'][number]
type Scorer = Rules['scorers'][number]

const latency: Measure = {
  name: 'latency',
  of: ({ labels }) => (labels?.latency === undefined ? undefined : Number(labels.latency)),
}
/** 100/(1 + latency), and nothing where it is unknown. */
const near: Scorer = {
  name: 'near',
  needs: [],
  reads: ['latency'],
  score({ board }, scores) {
    const { values, bit } = board.measure('latency')
    for (let slot = 0; slot < board.count; slot += 1)
      scores[slot] = ((board.known[slot] ?? 0) & bit) === 0 ? 0 : 100 / (1 + (values[slot] ?? 0))
    return true
  },
}
const planted: Rules = {
  ...rules,
  measures: [...rules.measures, latency],
  scorers: [...rules.scorers, near],
}
const nearPolicy: Policy = { version: 'near', weights: new Map([['near', 100]]) }

function aLedger(policy: Policy, by: Rules) {
  const ledger = createLedger(
    { policy, currency: 'USD', staleAfterMs: 1e9, drainTimeoutMs: 1e9, reclaimAfterMs: 1e9 },
    strictRules(by),
  )
  const run = (command: Parameters<typeof ledger.execute>[0]) =>
    ledger.execute(command, { now: 1_000, index: 1 })
  const advertise = (clusterId: string, latencyMs: number | undefined) => {
    const supply = { cpu: 64_000n }
    const facts = { capacity: supply, allocatable: supply, allocated: {}, used: {} }
    const labels = latencyMs === undefined ? {} : { latency: `${latencyMs}` }
    // Without an agent, so that it can be decommissioned at any time.
    const byHand = { stamp: 'once', isUnclaimed: true }
    const advertisement = { clusterName: clusterId, ...facts, labels, ...byHand }
    run({ kind: 'advertise', door: 'rest', clusterId, advertisement })
  }
  const ranking = () =>
    ledger
      .evaluate({ requester: 'rome', wanted: { cpu: 1_000n } })
      .rows.map(({ clusterId, refusal, scored }) => [clusterId, refusal ?? scored?.score])
  return { run, advertise, ranking }
}

it('a planted measure and its scorer change the winner', () => {
  const [plain, planned] = [aLedger(defaultPolicy, rules), aLedger(nearPolicy, planted)]
  for (const { advertise } of [plain, planned]) {
    advertise('berlin', 40)
    advertise('paris', 4)
  }

  expect(plain.ranking()[0]).toEqual(['berlin', 98.44])
  expect(planned.ranking()[0]).toEqual(['paris', 20])
})

it('a scorer that reads a measure which it does not declare is found out', () => {
  const { advertise, ranking } = aLedger(nearPolicy, {
    ...planted,
    scorers: [{ ...near, reads: [] }],
  })
  advertise('paris', 4)

  expect(ranking).toThrow('near reads latency and does not declare it')
})

type Step = Readonly<{ what: 'advertise' | 'withdraw' | 'uncordon' | 'decommission' | 'reserve' }> &
  Readonly<{ clusterId: string; latencyMs: number | undefined }>
type Known = { latencyMs: number | undefined; isWithdrawn: boolean }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom(
      'advertise',
      'advertise',
      'withdraw',
      'uncordon',
      'decommission',
      'reserve',
    ),
    clusterId: fc.constantFrom('a', 'b', 'c', 'd'),
    latencyMs: fc.option(fc.nat(3), { nil: undefined }),
  }),
  { maxLength: 30 },
)

it('the columns of measures agree with what was advertised last, after any commands', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const { run, advertise, ranking } = aLedger(nearPolicy, planted)
      const model = new Map<string, Known>()

      for (const { what, clusterId, latencyMs } of story) {
        const known = model.get(clusterId)
        if (what === 'advertise') {
          advertise(clusterId, latencyMs)
          model.set(clusterId, { latencyMs, isWithdrawn: known?.isWithdrawn ?? false })
        } else if (what === 'decommission') {
          if (run({ kind: what, clusterId }).outcome.kind === 'decommissioned')
            model.delete(clusterId)
        } else if (what === 'reserve') {
          const wanted = { cpu: 1_000n }
          run({ kind: what, door: 'rest', requester: 'rome', wanted, priority: 0 })
        } else {
          run({ kind: what, clusterId, graceMs: 1e9 })
          if (known) known.isWithdrawn = what === 'withdraw'
        }

        expect(ranking().toSorted()).toEqual(scoresIn(model).toSorted())
      }
    }),
    { numRuns: 300 },
  )
})

function scoresIn(model: ReadonlyMap<string, Known>) {
  return Array.from(model, ([clusterId, { latencyMs, isWithdrawn }]) => {
    if (isWithdrawn) return [clusterId, 'Withdrawn']
    const score = latencyMs === undefined ? 0 : 100 / (1 + latencyMs)
    return [clusterId, Math.round(100 * score) / 100]
  })
}
