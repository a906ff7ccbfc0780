import {
  RELEASED_EARLY_ANNOTATION,
  RESERVATION_FINALIZER,
  type ReservationStatus,
} from '@bourse/contract/kinds'
import { summarySentence } from '@bourse/domain/placement'
import { describe, expect, it } from 'vitest'
import { aLedger, aReservation, LEDGER_ID } from './objects.fixture.ts'
import type { AskedReservation } from './reservation-object.ts'
import { createReservationReconciler } from './reservation-reconciler.ts'
import type { ReservationWrites } from './reservation-writes.ts'

const HOUR_MS = 3_600_000
const PROTECTED = { finalizers: [RESERVATION_FINALIZER] }

type Options = Readonly<{ adopt?: boolean; supplyIsComing?: boolean; isDeletedMeanwhile?: boolean }>

/** The reconciler on a real ledger; what it writes is kept as steps and as the object it leaves. */
function aDoor(options: Options = {}) {
  const { adopt = false, supplyIsComing = false, isDeletedMeanwhile = false } = options
  const books = aLedger()
  const steps: string[] = []
  const shown: ReservationStatus[] = []
  const warnings: string[] = []
  const objects: ReservationWrites = {
    async hold(object, targetClusterID) {
      if (isDeletedMeanwhile) throw new Error('not found')
      steps.push(`finalizer on, target ${targetClusterID}`)
      const spec = { ...object.spec, targetClusterID }
      return { ...object, ...PROTECTED, isProtected: true, spec, generation: object.generation + 1 }
    },
    async letGo() {
      steps.push('finalizer off')
    },
    async show(object, status) {
      steps.push(`status ${status.phase}`)
      shown.push(status)
      return { ...object, shown: status }
    },
  }
  const { reconcile, gone } = createReservationReconciler({
    submit(command) {
      steps.push(command.kind)
      return books.submit(command)
    },
    born: books.born.get,
    remembered: async () => undefined,
    settled: books.born.settled,
    refusalSentence: async (ranking) => summarySentence(ranking),
    supplyIsComing: () => supplyIsComing,
    endpointOf: (clusterId) => `https://${clusterId}.example:6443`,
    objects,
    warn: (_, reason, note) => void warnings.push(`${reason}: ${note}`),
    ledgerId: LEDGER_ID,
    limits: { maxDurationMs: 10 * HOUR_MS },
    adopt,
    index: books.index,
    now: () => books.clock.now,
  })

  /** A second look at an object that was reserved before. */
  async function reserved(object: AskedReservation): Promise<AskedReservation> {
    await reconcile(object)
    const [status = {}] = shown
    steps.length = 0
    shown.length = 0
    const { targetClusterID = '' } = status
    const spec = { ...object.spec, targetClusterID }
    return { ...object, ...PROTECTED, isProtected: true, spec, shown: status }
  }
  return { ...books, steps, shown, warnings, reconcile, gone, reserved }
}

describe('a Reservation that somebody made', () => {
  it('is reserved, held with its provider in one write, and only then shown as Reserved', async () => {
    const { offer, steps, shown, reconcile } = aDoor()
    await offer('paris', 10_000n)

    await reconcile(aReservation({ duration: '1h' }))

    expect(steps).toEqual(['reserve', 'finalizer on, target paris', 'status Reserved'])
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

  it('looked at twice is one reservation', async () => {
    const { ledger, offer, reconcile } = aDoor()
    await offer('paris', 10_000n)

    await reconcile(aReservation())
    await reconcile(aReservation())

    expect(ledger.liveCount).toBe(1)
  })

  it('that was released before it was made asks for nothing, and is told the ledger', async () => {
    const { ledger, offer, steps, shown, reconcile } = aDoor()
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
    const { offer, shown, reconcile } = aDoor()
    await offer('berlin', 64_000n)
    await offer('paris', 4_000n)

    await reconcile(aReservation({ targetClusterID: 'paris' }))

    expect(shown[0]).toMatchObject({ phase: 'Reserved', targetClusterID: 'paris' })
  })

  it('that nothing fits is Failed with the reason in a sentence, and may be deleted freely', async () => {
    const { offer, steps, shown, reconcile } = aDoor()
    await offer('paris', 1_000n)

    await reconcile(aReservation())

    expect(steps).toEqual(['reserve', 'status Failed'])
    expect(shown[0]).toMatchObject({
      reason: 'NoClusterFits',
      refused: { Insufficient: 1 },
      message: expect.stringContaining('insufficient capacity'),
      conditions: [{ type: 'Ready', status: 'False', reason: 'NoClusterFits' }],
    })
  })

  it('is tried again in a moment while supply is still being read', async () => {
    const { steps, reconcile } = aDoor({ supplyIsComing: true })

    const again = await reconcile(aReservation())

    expect(again).toEqual({ againAfterMs: 50 })
    expect(steps).toEqual(['reserve'])
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
      name: 'a requester that is no label',
      spec: { requesterID: 'User Team' },
      says: 'requesterID: "User Team" is no DNS-1123 label',
    },
  ])('with $name is Failed, and nothing was asked of the ledger', async ({ spec, says }) => {
    const { steps, shown, reconcile } = aDoor()

    await reconcile(aReservation(spec))

    expect(steps).toEqual(['status Failed'])
    expect(shown[0]).toMatchObject({ reason: 'InvalidRequest' })
    expect(shown[0]?.message).toContain(says)
  })

  it('that has Failed is never asked again, whatever room there is', async () => {
    const { offer, steps, reconcile } = aDoor()
    await offer('paris', 10_000n)

    await reconcile(aReservation({}, { status: { phase: 'Failed', ledgerID: LEDGER_ID } }))

    expect(steps).toEqual([])
  })
})

describe('a Reservation that is reserved', () => {
  it('is renewed by an edit of its duration, once', async () => {
    const { clock, offer, steps, shown, reconcile, reserved } = aDoor()
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
    const { offer, steps, shown, reconcile, reserved } = aDoor()
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
    const { offer, steps, reconcile, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))

    await reconcile({ ...object, wish: 'active', spec: { ...object.spec, duration: '99h' } })

    expect(steps).toEqual(['activate', 'status Active'])
  })

  it('is Active once its requester says so', async () => {
    const { offer, steps, shown, reconcile, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, wish: 'active' })

    expect(steps).toEqual(['activate', 'status Active'])
    expect(shown[0]?.activatedAt).toBe('1970-01-01T00:00:01.000Z')
  })

  it('is released once its requester says so, and loses its finalizer', async () => {
    const { offer, steps, shown, reconcile, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, wish: 'released' })

    expect(steps).toEqual(['release', 'status Released', 'finalizer off'])
    expect(shown[0]).toMatchObject({
      reason: 'Released',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Released' }],
    })
  })

  it('shows that it has expired', async () => {
    const { clock, submit, offer, shown, reconcile, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation({ duration: '1h' }))
    clock.now += HOUR_MS
    await submit({ kind: 'tick' })

    await reconcile(object)

    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Expired' })
  })

  it('is released when it is deleted, before its finalizer goes', async () => {
    const { ledger, offer, steps, reconcile, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await reconcile({ ...object, isDeleting: true })

    expect(steps).toEqual(['releaseRequest', 'finalizer off'])
    expect(ledger.liveCount).toBe(0)
  })

  it('is released when somebody tore the finalizer off', async () => {
    const { ledger, offer, gone, reserved } = aDoor()
    await offer('paris', 10_000n)
    const object = await reserved(aReservation())

    await gone(object)

    expect(ledger.liveCount).toBe(0)
  })

  it('is not asked for again when the ledger no longer knows it: it ended long ago', async () => {
    const { offer, steps, shown, reconcile } = aDoor()
    await offer('paris', 10_000n)
    const status = { phase: 'Reserved', ledgerID: LEDGER_ID } as const

    await reconcile(aReservation({}, { status, ...PROTECTED }))

    expect(steps).toEqual(['status Released', 'finalizer off'])
    expect(shown[0]?.message).toContain('the ledger no longer knows it')
  })
})

describe('a Reservation that was deleted before it had its finalizer', () => {
  it('after the commit, is released', async () => {
    const { ledger, offer, steps, reconcile, gone } = aDoor({ isDeletedMeanwhile: true })
    await offer('paris', 10_000n)
    const object = aReservation()

    await expect(reconcile(object)).rejects.toThrow('not found')
    const liveBefore = ledger.liveCount
    await gone(object)

    expect(liveBefore).toBe(1)
    expect(ledger.liveCount).toBe(0)
    expect(steps).toEqual(['reserve', 'releaseRequest'])
  })

  it('before anybody knows how its commit ended, is never granted after that', async () => {
    const { ledger, offer, shown, reconcile, gone } = aDoor()
    await offer('paris', 10_000n)
    const object = aReservation()

    await gone(object)
    await reconcile(object)

    expect(ledger.liveCount).toBe(0)
    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Released' })
  })

  it('and stays for the finalizer of another, is released and waits for nobody', async () => {
    const { ledger, offer, reconcile } = aDoor({ isDeletedMeanwhile: true })
    await offer('paris', 10_000n)
    const object = aReservation({}, { finalizers: ['foregroundDeletion'] })

    await expect(reconcile(object)).rejects.toThrow('not found')
    await reconcile({ ...object, isDeleting: true })

    expect(ledger.liveCount).toBe(0)
  })

  it('and had Failed, costs the ledger nothing', async () => {
    const { steps, gone } = aDoor()

    await gone(aReservation({}, { status: { phase: 'Failed', ledgerID: LEDGER_ID } }))

    expect(steps).toEqual([])
  })
})

describe('a Reservation that another broker granted', () => {
  const granted = {
    ...PROTECTED,
    status: {
      phase: 'Reserved',
      targetClusterID: 'paris',
      expiresAt: new Date(1_000 + HOUR_MS).toISOString(),
    },
  } as const

  it('is left alone, with a warning, unless it is to be taken over', async () => {
    const { steps, warnings, reconcile } = aDoor()

    await reconcile(aReservation({}, granted))

    expect(steps).toEqual([])
    expect(warnings[0]).toContain('Start the broker once with --adopt')
  })

  it('is taken over where it is, for the time it has left, fit or not', async () => {
    const { ledger, offer, steps, shown, reconcile } = aDoor({ adopt: true })
    await offer('berlin', 64_000n)
    await offer('paris', 1_000n)

    await reconcile(aReservation({ duration: '9h' }, granted))

    expect(steps).toEqual(['reserve', 'finalizer on, target paris', 'status Reserved'])
    expect(shown[0]).toMatchObject({
      targetClusterID: 'paris',
      expiresAt: '1970-01-01T01:00:01.000Z',
      ledgerID: LEDGER_ID,
    })
    expect(ledger.standing('paris')?.isOvercommitted).toBe(true)
  })

  it('waits for its provider to be known', async () => {
    const { reconcile } = aDoor({ adopt: true })

    expect(await reconcile(aReservation({}, granted))).toEqual({ againAfterMs: 2_000 })
  })

  it('whose time is over is Expired', async () => {
    const { clock, offer, shown, reconcile } = aDoor({ adopt: true })
    await offer('paris', 10_000n)
    clock.now += HOUR_MS

    await reconcile(aReservation({}, granted))

    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Expired' })
  })
})
