import { describe, expect, it } from 'vitest'
import {
  aReconciler,
  HOUR_MS,
  PROTECTED,
} from '../../../fixtures/kubernetes/inbound/reservation-objects.ts'
import { aReservation, LEDGER_ID } from '../../../fixtures/kubernetes/objects/objects.ts'

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
    const { steps, warnings, reconcile } = aReconciler()

    await reconcile(aReservation({}, granted))

    expect(steps).toEqual([])
    expect(warnings[0]).toContain('Start the broker once with --adopt')
  })

  it('is taken over where it is, for the time it has left, fit or not', async () => {
    const { ledger, offer, steps, shown, reconcile } = aReconciler({ adopt: true })
    await offer('berlin', 64_000n)
    await offer('paris', 1_000n)

    await reconcile(aReservation({ duration: '9h' }, granted))

    expect(steps).toEqual(['reserve', 'status Reserved', 'finalizer on, target paris'])
    expect(shown[0]).toMatchObject({
      targetClusterID: 'paris',
      expiresAt: '1970-01-01T01:00:01.000Z',
      ledgerID: LEDGER_ID,
    })
    expect(ledger.standing('paris')?.isOvercommitted).toBe(true)
  })

  it('waits for its provider to be known', async () => {
    const { reconcile } = aReconciler({ adopt: true })

    expect(await reconcile(aReservation({}, granted))).toEqual({ againAfterMs: 2_000 })
  })

  it('whose time is over is Expired', async () => {
    const { clock, offer, shown, reconcile } = aReconciler({ adopt: true })
    await offer('paris', 10_000n)
    clock.now += HOUR_MS

    await reconcile(aReservation({}, granted))

    expect(shown[0]).toMatchObject({ phase: 'Released', reason: 'Expired' })
  })
})
