import { BrokerBusy, BrokerUnreachable } from '@bourse/client'
import { describe, expect, it } from 'vitest'
import {
  aReconciler,
  aRequest,
  FINALIZER,
  held,
  refused,
  reserved,
} from '../../fixtures/borrowing/resource-request.ts'
import { aReservation } from '../../fixtures/instructions/instruction.ts'

describe('a new request', () => {
  it('is protected first, then reserved, then instructed, then shown', async () => {
    const { reconcile, deeds } = aReconciler({ answers: { reserve: reserved } })

    const next = await reconcile(aRequest({ duration: '1h' }))

    expect(deeds).toEqual(['protect', 'reserve ["uid-1","1h"]', 'instruct rsv-1'])
    expect(next.status).toEqual({
      phase: 'Reserved',
      message: 'Reserved on paris',
      reservationName: 'rsv-1',
      targetClusterID: 'paris',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Reserved',
          message: 'Reserved on paris',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00.000Z',
        },
      ],
      observedGeneration: 1,
    })
  })

  it('asks for days in hours, which a broker of the Go original reads, too', async () => {
    const { reconcile, deeds } = aReconciler({ answers: { reserve: reserved } })

    await reconcile(aRequest({ duration: '7d' }))

    expect(deeds).toContain('reserve ["uid-1","168h"]')
  })

  it.each([
    {
      name: 'nothing fits',
      answer: { kind: 'refused', message: 'No cluster has 9 cpu.' },
      phase: 'Failed',
      reason: 'NoClusterFits',
      message: 'No cluster has 9 cpu.',
    },
    {
      name: 'the broker finds it wrong',
      answer: refused('InvalidRequest', 400),
      phase: 'Failed',
      reason: 'InvalidRequest',
      message: 'The sentence of the broker.',
    },
    {
      name: 'it was released before',
      answer: { kind: 'tombstoned', message: 'Released before.' },
      phase: 'Released',
      reason: 'Released',
      message: 'Released before.',
    },
    {
      name: 'its id was used for another',
      answer: refused('RequestIdReused', 422),
      phase: 'Failed',
      reason: 'RequestIdReused',
      message: 'The sentence of the broker.',
    },
  ])('ends with the sentence of the broker when $name', async ({ answer, ...expected }) => {
    const { reconcile } = aReconciler({ answers: { reserve: answer } })

    const { status, againAfterMs } = await reconcile(aRequest())

    const { phase, reason, message } = expected
    expect(status).toMatchObject({ phase, reason, message })
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason },
      { type: 'Stalled', status: 'True', reason },
    ])
    expect(againAfterMs).toBeUndefined()
  })

  it.each([
    { fault: new BrokerUnreachable('No answer.'), reason: 'BrokerUnreachable', pauseMs: 750 },
    {
      fault: new BrokerBusy('Busy.', 503, { retryAfterMs: 9_000 }),
      reason: 'BrokerBusy',
      pauseMs: 9_000,
    },
    { fault: refused('ClusterDenied', 403), reason: 'ClusterDenied', pauseMs: 750 },
  ])('says why it waits, and asks again: $reason', async ({ fault, reason, pauseMs }) => {
    const { reconcile } = aReconciler({ answers: { reserve: fault } })

    const { status, againAfterMs } = await reconcile(aRequest())

    expect(status).toMatchObject({ phase: 'Pending', message: fault.message })
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason },
      { type: 'Reconciling', status: 'True', reason },
    ])
    expect(againAfterMs).toBe(pauseMs)
  })

  it('waits longer each time', async () => {
    const answers = { reserve: new BrokerUnreachable('No answer.') }
    const { reconcile } = aReconciler({ answers })
    const pauses: unknown[] = []

    for (let turn = 0; turn < 7; turn++) pauses.push((await reconcile(aRequest())).againAfterMs)

    expect(pauses).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500])
  })
})

describe('a request that holds something', () => {
  it.each([
    { phase: 'Active', reason: undefined, ready: 'True' },
    { phase: 'Reserved', reason: undefined, ready: 'True' },
  ] as const)('shows that it is $phase', async ({ phase, ready }) => {
    const { reconcile } = aReconciler({ live: [aReservation('rsv-1', { phase })] })

    const { status } = await reconcile(aRequest({ status: held, finalizers: [FINALIZER] }))

    expect(status).toMatchObject({ phase, conditions: [{ type: 'Ready', status: ready }] })
  })

  it.each(['Expired', 'Preempted', 'Withdrawn', 'Released', 'RequesterGone'] as const)(
    'learns why it is over: %s',
    async (reason) => {
      const get = aReservation('rsv-1', { phase: 'Released', reason })
      const { reconcile } = aReconciler({ answers: { get } })

      const { status } = await reconcile(aRequest({ status: held, finalizers: [FINALIZER] }))

      expect(status).toMatchObject({ phase: 'Released', reason, reservationName: 'rsv-1' })
    },
  )

  it('keeps what it shows while the broker has not told everything yet', async () => {
    const { reconcile, deeds } = aReconciler({ isComplete: false })

    const next = await reconcile(aRequest({ status: held, finalizers: [FINALIZER] }))

    expect(next).toEqual({})
    expect(deeds).toEqual([])
  })

  it('keeps what it shows when the broker answers from another ledger', async () => {
    const { reconcile, deeds } = aReconciler({ isElsewhere: true })

    const next = await reconcile(aRequest({ status: held, finalizers: [FINALIZER] }))

    expect(next).toEqual({})
    expect(deeds).toEqual([])
  })

  it('is over when the broker cannot be asked and its time has passed', async () => {
    const answers = { get: new BrokerUnreachable('No answer.') }
    const { reconcile } = aReconciler({ answers })
    const status = { ...held, expiresAt: '2025-12-31T23:00:00Z' }

    const next = await reconcile(aRequest({ status, finalizers: [FINALIZER] }))

    expect(next.status).toMatchObject({ phase: 'Released', reason: 'Expired' })
  })

  it('renews once when its duration was edited, however often it is looked at', async () => {
    const expiresAt = '2026-01-01T02:00:00Z'
    const renew = aReservation('rsv-1', { expiresAt })
    const { reconcile, deeds } = aReconciler({ answers: { renew }, live: [aReservation('rsv-1')] })
    const edited = { generation: 2, duration: '2h', finalizers: [FINALIZER] }

    const { status } = await reconcile(aRequest({ status: held, ...edited }))
    await reconcile(aRequest({ status: held, ...edited }))

    expect(deeds).toEqual(['renew ["rsv-1","2h"]', 'note rsv-1'])
    expect(status).toMatchObject({ phase: 'Reserved', expiresAt, observedGeneration: 2 })
  })

  it('keeps what it has when the new duration is refused, and says why', async () => {
    const answers = { renew: refused('InvalidRequest', 400) }
    const { reconcile } = aReconciler({ answers, live: [aReservation('rsv-1')] })
    const edited = { generation: 2, duration: '9999h', finalizers: [FINALIZER] }

    const { status, againAfterMs } = await reconcile(aRequest({ status: held, ...edited }))

    expect(status).toMatchObject({
      phase: 'Reserved',
      observedGeneration: 2,
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Renewed', status: 'False', message: 'The sentence of the broker.' },
      ],
    })
    expect(againAfterMs).toBeUndefined()
  })

  it('tries a renewal again while the broker is away', async () => {
    const answers = { renew: new BrokerUnreachable('No answer.') }
    const { reconcile } = aReconciler({ answers, live: [aReservation('rsv-1')] })
    const edited = { generation: 2, duration: '2h', finalizers: [FINALIZER] }

    const { status, againAfterMs } = await reconcile(aRequest({ status: held, ...edited }))

    expect(status).toMatchObject({ phase: 'Reserved', observedGeneration: 1 })
    expect(againAfterMs).toBe(750)
  })

  it('is found by its uid when the answer to it was lost, and is not asked for again', async () => {
    const live = [aReservation('rsv-1', { requestId: 'uid-1' })]
    const { reconcile, deeds } = aReconciler({ live })

    const { status } = await reconcile(aRequest({ finalizers: [FINALIZER] }))

    expect(deeds).toEqual([])
    expect(status).toMatchObject({ phase: 'Reserved', reservationName: 'rsv-1' })
  })

  it('is renewed when its answer was lost and its duration edited meanwhile', async () => {
    const live = [aReservation('rsv-1', { requestId: 'uid-1' })]
    const { reconcile, deeds } = aReconciler({ live, answers: { renew: live[0] } })

    await reconcile(aRequest({ finalizers: [FINALIZER], generation: 2, duration: '2h' }))

    expect(deeds).toEqual(['renew ["rsv-1","2h"]', 'note rsv-1'])
  })
})

describe('a request that a hand has called over', () => {
  it.each(['Released', 'Failed'] as const)('%s is shown as it is', async (phase) => {
    const { reconcile, deeds } = aReconciler({ live: [aReservation('rsv-1')] })
    const status = { ...held, phase }

    const next = await reconcile(aRequest({ status, finalizers: [FINALIZER] }))

    expect(next.status?.phase).toBe('Reserved')
    expect(deeds).toEqual([])
  })
})

describe('a request that is over', () => {
  it('lets go of its object, and asks for nothing', async () => {
    const { reconcile, deeds } = aReconciler()
    const status = { phase: 'Failed', observedGeneration: 1 } as const

    const next = await reconcile(aRequest({ status, finalizers: [FINALIZER] }))

    expect(deeds).toEqual(['unprotect'])
    expect(next).toEqual({})
  })
})
