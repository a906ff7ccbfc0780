import { describe, expect, it } from 'vitest'
import { aLedger, LEDGER_ID } from '../../../fixtures/kubernetes/objects/objects.ts'
import { clusterStatus, lastingPart } from '../objects/cluster-status.ts'
import { isBehind, proven, saysTheSame } from '../objects/same-status.ts'
import { clusterMirrorSpec } from './cluster-mirror.ts'
import { eventOf } from './object-events.ts'
import { reservationMirrorSpec } from './reservation-mirror.ts'

const reserve = {
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu: 2_000n, 'nvidia.com/gpu': 1n },
  aliases: ['gpu'],
  priority: 5,
  durationMs: 5_400_000,
} as const
const supply = { cpu: 10_000n, memory: 20n, 'nvidia.com/gpu': 2n }

async function aCluster() {
  const books = aLedger()
  await books.offer('paris', 10_000n, {
    capacity: supply,
    allocatable: supply,
    aliases: ['gpu'],
    endpointUrl: 'https://paris.example:6443',
    cost: { cpu: 40_000_000n, currency: 'USD' },
  })
  const { outcome } = await books.submit(reserve)
  const cluster = books.ledger.cluster('paris')
  const standing = books.ledger.standing('paris')
  if (!cluster || !standing || outcome.kind !== 'reserved') throw new Error('It has advertised.')
  return { ...books, cluster, standing, reservation: outcome.reservation }
}

const showing = { ledgerId: LEDGER_ID, index: 4, generation: 2, before: {}, now: 9_000 }

describe('a mirror', () => {
  it('reads like the request its requester might have written', async () => {
    const { reservation } = await aCluster()

    expect(reservationMirrorSpec(reservation)).toEqual({
      requesterID: 'rome',
      requestedResources: { cpu: '2', gpu: '1' },
      duration: '1h30m',
      priority: 5,
      targetClusterID: 'paris',
    })
  })

  it('of a cluster is dated when its facts changed, so that heartbeats write nothing', async () => {
    const { cluster, standing } = await aCluster()

    expect(clusterMirrorSpec(cluster, standing)).toMatchObject({
      clusterID: 'paris',
      resources: {
        reserved: { cpu: '2', memory: '0', gpu: '1' },
        available: { cpu: '8', gpu: '1' },
      },
      timestamp: '1970-01-01T00:00:01.000Z',
      endpointURL: 'https://paris.example:6443',
      cost: { cpuCost: '0.04', currency: 'USD' },
    })
  })
})

describe('the status of a cluster', () => {
  it('tells phase, score, what is held and what is left', async () => {
    const { cluster, standing } = await aCluster()

    expect(clusterStatus(cluster, standing, showing)).toMatchObject({
      phase: 'Active',
      active: true,
      score: '90.00', // 50·8/10 + 50·20/20
      reserved: { cpu: '2', memory: '0', gpu: '1' },
      available: { cpu: '8', memory: '20', gpu: '1' },
      liveReservations: 1,
      message: 'Advertised; holds 1 reservation',
      observedGeneration: 2,
      ledgerIndex: 4,
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Stale', status: 'False' },
        { type: 'Overcommitted', status: 'False' },
      ],
    })
  })

  it('says so where the prices do not count', async () => {
    const { cluster, standing } = await aCluster()
    const unpriced = 'prices in EUR do not count: no rate to USD is known'

    const { message, conditions } = clusterStatus(cluster, { ...standing, unpriced }, showing)

    expect(message).toBe(`Advertised; holds 1 reservation; ${unpriced}`)
    expect(conditions?.[3]).toMatchObject({
      type: 'Unpriced',
      status: 'True',
      reason: 'NoRate',
      message: unpriced,
    })
  })

  it.each([
    { name: 'silent', change: { isStale: true }, reason: 'Stale' },
    { name: 'cordoned', change: { accepting: 'cordoned' }, reason: 'Cordoned' },
    { name: 'withdrawn', change: { accepting: 'withdrawn' }, reason: 'Withdrawn' },
  ] as const)('is not Ready while it is $name', async ({ change, reason }) => {
    const { cluster, standing } = await aCluster()

    const { conditions } = clusterStatus({ ...cluster, ...change }, standing, showing)

    expect(conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', reason })
  })

  it('is the same after a heartbeat and after what others did, and so is not written', async () => {
    const { cluster, standing } = await aCluster()
    const before = clusterStatus(cluster, standing, showing)

    const heard = { ...standing, advertisedAt: standing.advertisedAt + 30_000 }
    const after = clusterStatus(cluster, heard, { ...showing, before, index: 900, now: 39_000 })

    const shown = proven(before, () => 'of index 7')
    expect(saysTheSame(lastingPart(shown), lastingPart(after))).toBe(true)
  })

  it('remembers since when a condition holds', async () => {
    const { cluster, standing } = await aCluster()
    const before = clusterStatus(cluster, standing, showing)

    const stale = { ...cluster, isStale: true }
    const { conditions } = clusterStatus(stale, standing, { ...showing, before, now: 99_000 })

    expect(conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '1970-01-01T00:01:39.000Z',
      '1970-01-01T00:01:39.000Z',
      '1970-01-01T00:00:09.000Z',
    ])
  })
})

describe('a status that is there', () => {
  const shown = { ledgerID: LEDGER_ID, ledgerIndex: 7 }

  it.each([
    { name: 'is not overwritten with a lower index', index: 6, ledgerID: LEDGER_ID, behind: true },
    { name: 'is replaced at the same index', index: 7, ledgerID: LEDGER_ID, behind: false },
    { name: 'of another ledger is replaced', index: 2, ledgerID: 'other', behind: false },
  ])('$name', ({ index, ledgerID, behind }) => {
    expect(isBehind({ ledgerID, ledgerIndex: index }, shown)).toBe(behind)
  })
})

describe('the events of a reservation', () => {
  it.each([
    {
      before: {},
      after: { phase: 'Reserved', message: 'Reserved on paris', expiresAt: 'noon' },
      told: { type: 'Normal', reason: 'Reserved', note: 'Reserved on paris until noon' },
    },
    {
      before: { phase: 'Reserved' },
      after: { phase: 'Active', message: 'In use on paris' },
      told: { type: 'Normal', reason: 'Activated', note: 'In use on paris' },
    },
    {
      before: { phase: 'Active', expiresAt: 'noon' },
      after: { phase: 'Active', expiresAt: 'one' },
      told: { type: 'Normal', reason: 'Renewed', note: 'Lasts until one' },
    },
    {
      before: { phase: 'Active' },
      after: { phase: 'Released', reason: 'Expired', message: 'It has expired' },
      told: { type: 'Normal', reason: 'Expired', note: 'It has expired' },
    },
    {
      before: {},
      after: { phase: 'Failed', reason: 'NoClusterFits', message: 'No cluster can' },
      told: { type: 'Warning', reason: 'NoClusterFits', note: 'No cluster can' },
    },
  ] as const)('tells that it is $after.phase', ({ before, after, told }) => {
    expect(eventOf(before, after)).toMatchObject(told)
  })

  it('has nothing to tell when nothing happened, or nothing was ever held', () => {
    expect(eventOf({ phase: 'Active' }, { phase: 'Active' })).toBeUndefined()
    expect(eventOf({ phase: 'Pending' }, { phase: 'Released' })).toBeUndefined()
  })
})
