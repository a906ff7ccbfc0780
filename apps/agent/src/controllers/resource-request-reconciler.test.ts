import {
  BrokerBusy,
  BrokerRefused,
  BrokerUnreachable,
  type ReservationOutcome,
} from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../instructions/instruction.fixture.ts'
import type { Entry } from '../instructions/instruction-book.ts'
import { termsOf } from '../instructions/terms.ts'
import type { RequesterBook } from './requester-book.ts'
import type { ResourceRequest } from './resource-request.ts'
import { createFarewell } from './resource-request-farewell.ts'
import { createResourceRequestReconciler } from './resource-request-reconciler.ts'

const FINALIZER = 'resourcerequest.liqo.io/finalizer'
const NOW = Date.UTC(2026, 0, 1)

type World = Readonly<{
  /** What the broker answers to each verb; thrown if it is an error. */
  answers?: Readonly<Record<string, unknown>>
  live?: readonly Reservation[]
  isComplete?: boolean
  isElsewhere?: boolean
}>

/** A reconciler among values: it notes, in order, what was done to the world. */
function aReconciler({ answers = {}, live = [], ...more }: World = {}) {
  const deeds: string[] = []
  const entries = new Map(live.map((one) => [one.id, entryOf(one)]))
  const answer = async (verb: string, argument: unknown) => {
    deeds.push(`${verb} ${JSON.stringify(argument)}`)
    if (answers[verb] instanceof Error) throw answers[verb]
    // Each test says what its broker answers.
    return answers[verb] as never
  }
  const broker = {
    requestReservation: ({ requestId, duration }: object & Record<string, unknown>) =>
      answer('reserve', [requestId, duration]),
    renew: (id: string, duration: string) => answer('renew', [id, duration]),
    getReservation: (id: string) => answer('get', id),
    release: (which: object) => answer('release', which),
  }
  const book: RequesterBook = {
    find: (uid, name = '') =>
      entries.get(name) ?? [...entries.values()].find((one) => one.reservation?.requestId === uid),
    isComplete: () => more.isComplete ?? true,
    isElsewhere: (_, { ledgerId } = {}) => more.isElsewhere ?? ledgerId === 'L2',
    noteGrant: async ({ id }) => void deeds.push(`instruct ${id}`),
    noteChange: ({ id }) => void deeds.push(`note ${id}`),
    noteEnd: (id) => void deeds.push(`forget ${id}`),
    withdraw: async (id) => deeds.push(`withdraw ${id}`) > 0,
    discard: async (id) => void deeds.push(`discard ${id}`),
    stepsOf: () => [],
    brokerNow: () => NOW,
  }
  const objects = {
    async protect(request: ResourceRequest) {
      if (request.metadata.finalizers?.includes(FINALIZER)) return request
      deeds.push('protect')
      const metadata = { ...request.metadata, finalizers: [FINALIZER] }
      return { ...request, metadata }
    },
    unprotect: async () => void deeds.push('unprotect'),
  }
  const patience = { now: () => NOW, random: () => 0.5 }
  const warn = (_: unknown, { reason }: { reason: string }) => void deeds.push(`warn ${reason}`)
  const farewell = createFarewell({ broker, book, objects, warn, patience })
  const ports = { broker, book, objects, farewell, patience }
  return { ...createResourceRequestReconciler(ports), deeds }
}

function entryOf(reservation: Reservation): Entry {
  return { terms: termsOf(reservation, 'requester'), isGranted: true, reservation, ledgerId: 'L1' }
}

type Asked = Partial<ResourceRequest['metadata']> &
  Readonly<{ status?: ResourceRequest['status']; duration?: string }>

function aRequest({ status, duration, ...metadata }: Asked = {}): ResourceRequest {
  return {
    apiVersion: 'liqo.io/v1alpha1',
    kind: 'ResourceRequest',
    metadata: { name: 'job', namespace: 'default', uid: 'uid-1', generation: 1, ...metadata },
    spec: { cpu: '2', memory: '4Gi', priority: 0, ...(duration && { duration }) },
    ...(status && { status }),
  }
}

const reserved: Partial<ReservationOutcome> = {
  kind: 'reserved',
  requestId: 'uid-1',
  reservation: aReservation('rsv-1', { requestId: 'uid-1' }),
  isNew: true,
}
const held = { phase: 'Reserved', reservationName: 'rsv-1', observedGeneration: 1 } as const
const refused = (code: 'InvalidRequest' | 'RequestIdReused' | 'ClusterDenied', status: number) =>
  new BrokerRefused('The sentence of the broker.', { status, code })

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

  it.each([
    {
      name: 'nothing fits',
      answer: { kind: 'refused', message: 'Nobody has 9 cpu.' },
      phase: 'Failed',
      reason: 'NoClusterFits',
      message: 'Nobody has 9 cpu.',
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
  ])('waits in words and asks again: $reason', async ({ fault, reason, pauseMs }) => {
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

describe('a request that is over', () => {
  it('lets go of its object, and asks for nothing', async () => {
    const { reconcile, deeds } = aReconciler()
    const status = { phase: 'Failed', observedGeneration: 1 } as const

    const next = await reconcile(aRequest({ status, finalizers: [FINALIZER] }))

    expect(deeds).toEqual(['unprotect'])
    expect(next).toEqual({})
  })
})

describe('a request that is deleted', () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [FINALIZER] }

  it('is withdrawn first, then released, then forgotten, then let go', async () => {
    const release = { kind: 'released', reservation: aReservation('rsv-1') }
    const { reconcile, deeds } = aReconciler({
      live: [aReservation('rsv-1')],
      answers: { release },
    })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual([
      'withdraw rsv-1',
      'release {"id":"rsv-1"}',
      'forget rsv-1',
      'discard rsv-1',
      'unprotect',
    ])
  })

  it('stays when another ledger than its own says that nothing is held', async () => {
    const { reconcile, deeds } = aReconciler({
      live: [aReservation('rsv-1')],
      answers: { release: { kind: 'tombstoned', ledgerId: 'L2' } },
    })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual(['withdraw rsv-1', 'release {"id":"rsv-1"}', 'warn OtherLedger'])
  })

  it('is released by its request id when no answer was ever seen', async () => {
    const { reconcile, deeds } = aReconciler({ answers: { release: { kind: 'tombstoned' } } })

    await reconcile(aRequest(deleted))

    expect(deeds).toEqual(['release {"requestId":"uid-1"}', 'unprotect'])
  })

  it('stays while the broker is away, and says so once', async () => {
    const answers = { release: new BrokerUnreachable('No answer.') }
    const { reconcile, deeds } = aReconciler({ answers })

    const first = await reconcile(aRequest(deleted))
    const second = await reconcile(aRequest(deleted))

    expect(first.status?.message).toBe('It is released as soon as that is possible: No answer.')
    expect([first.againAfterMs, second.againAfterMs]).toEqual([375, 750])
    expect(deeds.filter((deed) => deed !== 'release {"requestId":"uid-1"}')).toEqual([
      'warn BrokerUnreachable',
    ])
  })

  it('waits for the ledger that granted it, rather than leave it held there', async () => {
    const { reconcile, deeds } = aReconciler({ live: [aReservation('rsv-1')], isElsewhere: true })

    const next = await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual(['withdraw rsv-1', 'warn OtherLedger'])
    expect(next.againAfterMs).toBe(375)
  })

  it('goes although the broker cannot release, as the Go original cannot', async () => {
    const release = new BrokerRefused('Unknown call.', { status: 404, code: 'Unsupported' })
    const { reconcile, deeds } = aReconciler({ answers: { release } })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual([
      'withdraw rsv-1',
      'release {"id":"rsv-1"}',
      'warn Unsupported',
      'discard rsv-1',
      'unprotect',
    ])
  })

  it('is let go at once when it never held anything', async () => {
    const { reconcile, deeds } = aReconciler()

    await reconcile(aRequest({ status: { phase: 'Failed' }, ...deleted }))

    expect(deeds).toEqual(['unprotect'])
  })
})
