import { describe, expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/kubernetes/objects/objects.ts'
import { createFreshest } from './freshest.ts'
import type { AskedReservation } from './reservation-object.ts'

const KEY = 'default/my-reservation'
const version = (resourceVersion: string, more: Partial<AskedReservation> = {}) => ({
  ...aReservation(),
  resourceVersion,
  ...more,
})

function aView() {
  const clock = { now: 0 }
  const watched = new Map<string, AskedReservation>()
  const freshest = createFreshest<AskedReservation>(
    () => watched,
    () => clock.now,
  )
  return { clock, watched, ...freshest, versionSeen: () => freshest.get(KEY)?.resourceVersion }
}

describe('the freshest version of an object', () => {
  it('is the answer to our own write until the watch has told of it', () => {
    const { watched, wrote, versionSeen } = aView()
    watched.set(KEY, version('9'))

    wrote(version('10'))

    expect(versionSeen()).toBe('10')
  })

  it('is what the watch tells once that is newer', () => {
    const { watched, wrote, saw, versionSeen } = aView()
    wrote(version('10'))

    watched.set(KEY, version('11'))
    saw(version('11'), KEY)

    expect(versionSeen()).toBe('11')
  })

  it('is none for what is gone, though the answer to a write came after', () => {
    const { clock, wrote, gone, versionSeen } = aView()
    gone(KEY)

    wrote(version('10'))
    clock.now += 5_000

    expect(versionSeen()).toBeUndefined()
  })

  it('is none once the last finalizer of a deleted object was taken off', () => {
    const { wrote, versionSeen } = aView()

    wrote(version('10', { isDeleting: true, finalizers: [] }))

    expect(versionSeen()).toBeUndefined()
  })
})
