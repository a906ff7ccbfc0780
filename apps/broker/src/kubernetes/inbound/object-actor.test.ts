import { expect, it } from 'vitest'
import { aReservation } from '../objects/objects.fixture.ts'
import { aReconciler } from './reservation-objects.fixture.ts'

it('a Reservation is named as the actor of every command it leads to', async () => {
  const { offer, actors, reconcile, reserved } = aReconciler()
  await offer('paris', 10_000n)

  const object = await reserved(aReservation())
  await reconcile({ ...object, isDeleting: true })

  const by = `object:${object.namespace}/${object.name}@kubernetes`
  expect(actors).toEqual([by, by])
})
