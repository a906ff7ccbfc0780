import { describe, expect, it } from 'vitest'
import { aReconciler, HOUR_MS } from '../../../fixtures/kubernetes/inbound/reservation-objects.ts'
import { aReservation, LEDGER_ID } from '../../../fixtures/kubernetes/objects/objects.ts'

describe('a Reservation that nothing fits', () => {
  it('is looked at for two seconds before it is Failed', async () => {
    const { steps, clock, decided } = aReconciler()
    const startedAt = clock.now

    await decided(aReservation())

    expect(clock.now - startedAt).toBe(2_000)
    // At 0, 50, 250, 1250 and 2000 ms.
    expect(steps).toEqual([...Array(5).fill('reserve'), 'status Failed'])
  })

  it('whose Failed status was cleared is looked at for two seconds again', async () => {
    const { steps, clock, decided } = aReconciler()
    await decided(aReservation())
    steps.length = 0
    const clearedAt = clock.now

    await decided(aReservation())

    expect(clock.now - clearedAt).toBe(2_000)
    expect(steps).toEqual([...Array(5).fill('reserve'), 'status Failed'])
  })

  it('gets the provider that was made with it and is told of later', async () => {
    const { offer, shown, reconcile } = aReconciler()
    await reconcile(aReservation())
    await offer('paris', 10_000n)

    await reconcile(aReservation())

    expect(shown).toMatchObject([{ phase: 'Reserved', targetClusterID: 'paris' }])
  })

  it('is tried again in a moment while supply is still being read', async () => {
    const { steps, reconcile } = aReconciler({ supplyIsComing: true })

    const again = await reconcile(aReservation())

    expect(again).toEqual({ againAfterMs: 50 })
    expect(steps).toEqual(['reserve'])
  })

  it('that is deleted and restored from a backup is looked at for two seconds again', async () => {
    const { clock, reconcile, gone } = aReconciler()
    await reconcile(aReservation())
    await gone(aReservation({}, { status: { phase: 'Failed', ledgerID: LEDGER_ID } }))
    clock.now += HOUR_MS

    const again = await reconcile(aReservation())

    expect(again).toEqual({ againAfterMs: 50 })
  })
})
