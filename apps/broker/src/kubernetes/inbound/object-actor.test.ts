import { expect, it } from 'vitest'
import { aReservation } from '../objects/objects.fixture.ts'
import { aDoor } from './reservation-objects.fixture.ts'

it('a Reservation is named in whatever it makes happen', async () => {
  const { offer, actors, reconcile, reserved } = aDoor()
  await offer('paris', 10_000n)

  const object = await reserved(aReservation())
  await reconcile({ ...object, isDeleting: true })

  const by = `object:${object.namespace}/${object.name}@kubernetes`
  expect(actors).toEqual([by, by])
})
