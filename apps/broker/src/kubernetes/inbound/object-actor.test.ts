import { expect, it } from 'vitest'
import { aReconciler } from '../../../fixtures/kubernetes/inbound/reservation-objects.ts'
import { aReservation } from '../../../fixtures/kubernetes/objects/objects.ts'

it('a Reservation is named as the actor of every command it leads to', async () => {
  const { offer, actors, reconcile, reserved } = aReconciler()
  await offer('paris', 10_000n)

  const object = await reserved(aReservation())
  await reconcile({ ...object, isDeleting: true })

  const by = `object:${object.namespace}/${object.name}@kubernetes`
  expect(actors).toEqual([by, by])
})
