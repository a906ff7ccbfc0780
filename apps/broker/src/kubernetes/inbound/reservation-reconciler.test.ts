import { RELEASED_EARLY_ANNOTATION } from '@bourse/contract/kinds'
import { describe, expect, it } from 'vitest'
import {
  aReconciler,
  HOUR_MS,
  PROTECTED,
} from '../../../fixtures/kubernetes/inbound/reservation-objects.ts'
import { aReservation, LEDGER_ID } from '../../../fixtures/kubernetes/objects/objects.ts'

const released = { wantedPhase: 'released' } as const

describe('a Reservation that a user made', () => {
  it('is reserved, shown as Reserved, and then held with its provider in one write', async () => {
    const { offer, steps, shown, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile(aReservation({ duration: '1h' }))

    expect(steps).toEqual(['reserve', 'status Reserved', 'finalizer on, target paris'])
    expect(shown[0]).toMatchObject({
      phase: 'Reserved',
      message: 'Reserved on paris',
      targetClusterID: 'paris',
      targetClusterEndpoint: 'https://paris.example:6443',
      reservedAt: '1970-01-01T00:00:01.000Z',
      expiresAt: '1970-01-01T01:00:01.000Z',
      observedGeneration: 2,
      ledgerID: LEDGER_ID,
      ledgerIndex: 3,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Reserved' }],
    })
  })

  it('begins as Pending, as the API server has filled in, and is decided all the same', async () => {
    const { offer, steps, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile({ ...aReservation(), shown: { phase: 'Pending', message: 'Waiting.' } })

    expect(steps).toEqual(['reserve', 'status Reserved', 'finalizer on, target paris'])
  })

  it('for a requester that is denied gets nothing', async () => {
    const { ledger, offer, shown, reconcile } = aReconciler({ denial: 'rome is on the deny list.' })
    await offer('paris', 10_000n)

    await reconcile(aReservation({ requesterID: 'rome' }))

    expect(ledger.liveCount).toBe(0)
    expect(shown).toMatchObject([
      { phase: 'Failed', reason: 'ClusterDenied', message: 'rome is on the deny list.' },
    ])
  })

  it('for a requester that has had its share waits, says so once, and is granted later', async () => {
    const delay = { afterMs: 3_000, message: 'rome sends more than its share.' }
    const { account, ledger, offer, steps, shown, reconcile } = aReconciler({ delay })
    await offer('paris', 10_000n)
    const object = aReservation({ requesterID: 'rome' })

    const next = await reconcile(object)
    const [status = {}] = shown
    const told = { ...object, shown: status }
    await reconcile(told)
    expect(ledger.liveCount).toBe(0)
    account.delay = undefined
    await reconcile(told)

    expect(next).toEqual({ againAfterMs: 3_000 })
    expect(status).toMatchObject({
      phase: 'Pending',
      reason: 'RateLimited',
      message: 'rome sends more than its share.',
      conditions: [{ type: 'Ready', status: 'False', reason: 'RateLimited' }],
    })
    expect(steps).toEqual([
      ...['status Pending', 'reserve', 'status Reserved', 'finalizer on, target paris'],
    ])
  })

  it('is renewed later if its requester has had its share, and not observed before', async () => {
    const { account, clock, ledger, offer, shown, reserved, reconcile } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))
    const edited = { ...object, generation: 9, spec: { ...object.spec, duration: '2h' } }
    const expiresAt = () => [...ledger.reservations()][0]?.expiresAt
    account.delay = { afterMs: 3_000, message: 'rome sends more than its share.' }

    const next = await reconcile(edited)
    const before = expiresAt()
    account.delay = undefined
    await reconcile(edited)

    expect(next).toEqual({ againAfterMs: 3_000 })
    expect(shown[0]).toMatchObject({
      message: 'Reserved on paris; it is not renewed yet: rome sends more than its share.',
      observedGeneration: object.shown.observedGeneration,
    })
    expect(before).toBe(clock.now + HOUR_MS)
    expect(expiresAt()).toBe(clock.now + 2 * HOUR_MS)
  })

  it.each([
    { name: 'is refused', cpu: '11', edit: {}, charged: ['team-a was refused'] },
    { name: 'is deleted', cpu: '1', edit: { isDeleting: true }, charged: ['team-a gave back'] },
    { name: 'is released', cpu: '1', edit: released, charged: ['team-a gave back'] },
  ] as const)('that $name is charged as a trial', async ({ cpu, edit, charged }) => {
    const { offer, reserved, decided, trials } = aReconciler()
    await offer('paris', 10_000n)
    const asked = aReservation({ requesterID: 'team-a', requestedResources: { cpu } })

    await decided({ ...(await reserved(asked)), ...edit })

    expect(trials).toEqual(charged)
  })

  it('has a priority that counts as --max-priority at most, and says so', async () => {
    const { ledger, offer, shown, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile(aReservation({ priority: 5_000 }))
    await reconcile(aReservation({ priority: 5_000 }))

    const [made] = ledger.reservations()
    expect(ledger.liveCount).toBe(1)
    expect(made?.priority).toBe(100)
    for (const { message } of shown)
      expect(message).toBe(
        'Reserved on paris; priority 5000 counts as 100, the most that --max-priority allows here',
      )
  })

  it('looked at twice is one reservation', async () => {
    const { ledger, offer, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile(aReservation())
    await reconcile(aReservation())

    expect(ledger.liveCount).toBe(1)
  })

  it('that was released before it was made asks for nothing, and is told the ledger', async () => {
    const { ledger, offer, steps, shown, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile(aReservation({}, { annotations: { [RELEASED_EARLY_ANNOTATION]: 'true' } }))

    expect(ledger.liveCount).toBe(0)
    expect(steps).toEqual(['status Released'])
    expect(shown[0]).toMatchObject({
      message: 'Released before it was granted',
      ledgerID: LEDGER_ID,
      ledgerIndex: 2,
    })
  })

  it('goes to the provider it names and to no other', async () => {
    const { offer, shown, reconcile } = aReconciler()
    await offer('berlin', 64_000n)
    await offer('paris', 4_000n)

    await reconcile(aReservation({ targetClusterID: 'paris' }))

    expect(shown[0]).toMatchObject({ phase: 'Reserved', targetClusterID: 'paris' })
  })

  it('says what the largest node has, and with oneNode is Failed where no node could take it', async () => {
    const { offer, shown, decided } = aReconciler()
    const more = { largestFit: { cpu: 1_000n }, visibility: 'full' as const }
    await offer('paris', 64_000n, more)

    await decided(aReservation())
    await decided(aReservation({ oneNode: true }, { name: 'other', uid: 'uid-other' }))

    expect(shown.map(({ phase, message }) => `${phase}: ${message}`)).toEqual([
      'Reserved: Reserved on paris; largest free node: 1 CPU',
      expect.stringMatching(/^Failed: .* CPU free, and no node with . at once$/),
    ])
    expect(shown[1]).toMatchObject({ reason: 'NoClusterFits', refused: { NoNodeFits: 1 } })
  })

  it('that nothing fits is Failed with the reason in a sentence, and may be deleted freely', async () => {
    const { offer, steps, shown, decided } = aReconciler()
    await offer('paris', 1_000n)

    await decided(aReservation())

    expect(steps.slice(-2)).toEqual(['reserve', 'status Failed'])
    expect(shown[0]).toMatchObject({
      reason: 'NoClusterFits',
      refused: { Insufficient: 1 },
      message: expect.stringContaining('insufficient capacity'),
      conditions: [
        { type: 'Ready', status: 'False', reason: 'NoClusterFits' },
        { type: 'Stalled', status: 'True', reason: 'NoClusterFits' },
      ],
    })
  })

  it.each([
    {
      name: 'a duration beyond what is allowed',
      spec: { duration: '11h' },
      says: "duration: '11h' is more than the 10h allowed",
    },
    {
      name: 'half a GPU',
      spec: { requestedResources: { gpu: '500m' } },
      says: 'requestedResources.gpu',
    },
    {
      name: 'a requester that is not a cluster id',
      spec: { requesterID: 'User Team' },
      says: 'requesterID: "User Team" is not a valid cluster id',
    },
  ])('with $name is Failed, and nothing was asked of the ledger', async ({ spec, says }) => {
    const { steps, shown, reconcile } = aReconciler()

    await reconcile(aReservation(spec))

    expect(steps).toEqual(['status Failed'])
    expect(shown[0]).toMatchObject({ reason: 'InvalidRequest' })
    expect(shown[0]?.message).toContain(says)
  })

  it('that has Failed is never asked again, even when there is room', async () => {
    const { offer, steps, reconcile } = aReconciler()
    await offer('paris', 10_000n)

    await reconcile(aReservation({}, { status: { phase: 'Failed', ledgerID: LEDGER_ID } }))

    expect(steps).toEqual([])
  })
})

describe('a Reservation that is reserved', () => {
  it('is renewed by an edit of its duration, once', async () => {
    const { clock, offer, steps, shown, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))
    clock.now += HOUR_MS / 2

    const edited = { ...object, spec: { ...object.spec, duration: '2h' } }
    await reconcile(edited)
    await reconcile(edited)

    expect(steps).toEqual(['renew', 'status Reserved', 'status Reserved'])
    expect(shown[0]?.expiresAt).toBe('1970-01-01T02:30:01.000Z')
  })

  it('keeps its end and complains when the new duration is not allowed', async () => {
    const { offer, steps, shown, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))

    await reconcile({ ...object, spec: { ...object.spec, duration: '99h' } })

    expect(steps).toEqual(['status Reserved'])
    expect(shown[0]).toMatchObject({
      expiresAt: '1970-01-01T01:00:01.000Z',
      message: expect.stringContaining("'99h' is more than the 10h allowed"),
    })
  })

  it('may be used however the limits have changed since it was granted', async () => {
    const { offer, steps, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))

    await reconcile({ ...object, wantedPhase: 'active', spec: { ...object.spec, duration: '99h' } })

    expect(steps).toEqual(['activate', 'status Active'])
  })

  it('is Active once its requester says so', async () => {
    const { offer, steps, shown, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, wantedPhase: 'active' })

    expect(steps).toEqual(['activate', 'status Active'])
    expect(shown[0]?.activatedAt).toBe('1970-01-01T00:00:01.000Z')
  })

  it('is released once its requester says so, and loses its finalizer', async () => {
    const { offer, steps, shown, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, wantedPhase: 'released' })

    expect(steps).toEqual(['release', 'status Released', 'finalizer off'])
    expect(shown[0]).toMatchObject({
      reason: 'Released',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'Released' },
        { type: 'Stalled', status: 'True', reason: 'Released' },
      ],
    })
  })

  it('shows that it has expired', async () => {
    const { clock, submit, offer, shown, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))
    clock.now += HOUR_MS
    await submit({ kind: 'tick' })

    await reconcile(object)

    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Expired' })
  })

  it('is released when it is deleted, before its finalizer goes', async () => {
    const { ledger, offer, steps, reconcile, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, isDeleting: true })

    expect(steps).toEqual(['releaseRequest', 'finalizer off'])
    expect(ledger.liveCount).toBe(0)
  })

  it('is released when a user took the finalizer off', async () => {
    const { ledger, offer, gone, reserved } = aReconciler()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await gone(object)

    expect(ledger.liveCount).toBe(0)
  })

  it('is not asked for again when the ledger no longer knows it: it ended long ago', async () => {
    const { offer, steps, shown, reconcile } = aReconciler()
    await offer('paris', 10_000n)
    const status = { phase: 'Reserved', ledgerID: LEDGER_ID } as const

    await reconcile(aReservation({}, { status, ...PROTECTED }))

    expect(steps).toEqual(['status Released', 'finalizer off'])
    expect(shown[0]?.message).toContain('the ledger no longer knows it')
  })
})

describe('a Reservation that was deleted before it had its finalizer', () => {
  it('after the commit, is released', async () => {
    const { ledger, offer, steps, reconcile, gone } = aReconciler({ isDeletedMeanwhile: true })
    await offer('paris', 10_000n)
    const object = aReservation()

    await expect(reconcile(object)).rejects.toThrow('not found')
    const liveBefore = ledger.liveCount
    await gone(object)

    expect(liveBefore).toBe(1)
    expect(ledger.liveCount).toBe(0)
    expect(steps).toEqual(['reserve', 'status Reserved', 'releaseRequest'])
  })

  it('before the outcome of its commit is known, is never granted after that', async () => {
    const { ledger, offer, shown, reconcile, gone } = aReconciler()
    await offer('paris', 10_000n)
    const object = aReservation()

    await gone(object)
    await reconcile(object)

    expect(ledger.liveCount).toBe(0)
    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Released' })
  })

  it('and stays for the finalizer of another, is released without waiting for it', async () => {
    const { ledger, offer, reconcile } = aReconciler({ isDeletedMeanwhile: true })
    await offer('paris', 10_000n)
    const object = aReservation({}, { finalizers: ['foregroundDeletion'] })

    await expect(reconcile(object)).rejects.toThrow('not found')
    await reconcile({ ...object, isDeleting: true })

    expect(ledger.liveCount).toBe(0)
  })

  it('and had Failed, costs the ledger nothing', async () => {
    const { steps, gone } = aReconciler()

    await gone(aReservation({}, { status: { phase: 'Failed', ledgerID: LEDGER_ID } }))

    expect(steps).toEqual([])
  })
})
