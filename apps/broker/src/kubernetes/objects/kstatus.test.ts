import type { Condition } from '@bourse/contract/kinds'
import { describe, expect, it } from 'vitest'
import { aLedger, LEDGER_ID } from '../../../fixtures/kubernetes/objects/objects.ts'
import { clusterStatus, lastingPart, rejectedStatus } from './cluster-status.ts'
import { brokersPart } from './reservation-object.ts'
import { endedStatus, reservationStatus } from './reservation-status.ts'
import { saysTheSame } from './same-status.ts'

type Status = Readonly<{
  observedGeneration?: number | undefined
  conditions?: readonly Condition[] | undefined
}>

/** What kstatus makes of an object whose kind it does not know, with Flux and others after it. */
function kstatus(generation: number, { observedGeneration, conditions = [] }: Status) {
  const is = (type: string, status: string) =>
    conditions.some((one) => one.type === type && one.status === status)
  if (observedGeneration !== undefined && observedGeneration !== generation) return 'InProgress'
  if (is('Reconciling', 'True')) return 'InProgress'
  if (is('Stalled', 'True')) return 'Failed'
  if (is('Ready', 'False') || is('Ready', 'Unknown')) return 'InProgress'
  return 'Current'
}

const GENERATION = 3
const moment = { ledgerId: LEDGER_ID, index: 4, generation: GENERATION, before: {}, now: 9_000 }
const showing = { ledgerId: LEDGER_ID, generation: GENERATION, endpointOf: () => undefined }

async function aGrant() {
  const books = aLedger()
  await books.offer('paris', 10_000n)
  const { outcome } = await books.submit({
    kind: 'reserve',
    door: 'kubernetes',
    requester: 'rome',
    wanted: { cpu: 2_000n },
    priority: 0,
  })
  const cluster = books.ledger.cluster('paris')
  const standing = books.ledger.standing('paris')
  if (!cluster || !standing || outcome.kind !== 'reserved') throw new Error('It has advertised.')
  return { cluster, standing, reservation: outcome.reservation }
}

describe('to kstatus, a reservation', () => {
  it.each([
    ['Pending', 'InProgress'],
    ['Reserved', 'Current'],
    ['Active', 'Current'],
    ['Released', 'Failed'],
    ['Failed', 'Failed'],
  ] as const)('that is %s is %s', async (phase, read) => {
    const { reservation } = await aGrant()

    expect(kstatus(GENERATION, reservationStatus({ ...reservation, phase }, showing))).toBe(read)
  })

  it('that nothing fitted is Failed, and not InProgress for ever', () => {
    const ending = { phase: 'Failed', reason: 'NoClusterFits', message: 'No cluster can' } as const

    expect(kstatus(GENERATION, endedStatus({ ...ending, ...moment }))).toBe('Failed')
  })

  it('that was edited is InProgress until the edit was read', async () => {
    const { reservation } = await aGrant()

    expect(kstatus(GENERATION + 1, reservationStatus(reservation, showing))).toBe('InProgress')
  })

  it('that ended says so once, in any order of its conditions', async () => {
    const { reservation } = await aGrant()
    const ended = reservationStatus({ ...reservation, phase: 'Released' }, showing)
    const theirs: Condition = { type: 'RequesterActive', status: 'True' }
    const conditions = [theirs, ...(ended.conditions ?? [])].reverse()

    expect(saysTheSame(brokersPart({ ...ended, conditions }), brokersPart(ended))).toBe(true)
  })
})

describe('to kstatus, a cluster', () => {
  it.each([
    ['speaks', {}, 'Current'],
    ['is silent', { isStale: true }, 'InProgress'],
    ['is cordoned', { accepting: 'cordoned' }, 'InProgress'],
  ] as const)('that %s, by %o, is %s', async (_, change, read) => {
    const { cluster, standing } = await aGrant()

    const status = clusterStatus({ ...cluster, ...change }, standing, moment)

    expect(kstatus(GENERATION, status)).toBe(read)
  })

  it.each(['ClaimedElsewhere', 'InvalidAdvertisement', 'ClusterDenied'])(
    'that is rejected as %s is Failed, and Current once it is not',
    async (reason) => {
      const { cluster, standing } = await aGrant()
      const rejected = rejectedStatus({ ...moment, reason, message: 'It does not count.' })
      const accepted = clusterStatus(cluster, standing, { ...moment, before: rejected })

      expect(kstatus(GENERATION, rejected)).toBe('Failed')
      expect(kstatus(GENERATION, accepted)).toBe('Current')
      expect(saysTheSame(lastingPart(rejected), lastingPart(accepted))).toBe(false)
    },
  )
})
