import type { ReservationStatus } from '@bourse/contract/kinds'
import type { KubeClient } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { decodeReservation, type ReservationKubeObject } from '../objects/reservation-object.ts'
import { createReservationWrites } from './reservation-writes.ts'

const STATUS: ReservationStatus = { phase: 'Reserved', ledgerID: 'ledger-1', ledgerIndex: 7 }

function anObject(status: ReservationStatus): ReservationKubeObject {
  return {
    apiVersion: 'broker.fluidos.eu/v1alpha1',
    kind: 'Reservation',
    metadata: { name: 'job', namespace: 'default', uid: 'u1', resourceVersion: '1' },
    spec: { requesterID: 'rome', requestedResources: { cpu: '1' }, priority: 0 },
    status,
  }
}

async function show(before: ReservationStatus, status: ReservationStatus) {
  const written: ReservationStatus[] = []
  const writes = createReservationWrites({
    client: {
      // An API server's part: it answers with the object as it is then.
      apply: (async (_: unknown, wanted: { status: ReservationStatus }) => {
        written.push(wanted.status)
        return anObject(wanted.status)
      }) as unknown as KubeClient['apply'],
      mergePatch: () => Promise.reject(new Error('nothing is patched here')),
    },
    wrote: () => {},
    tell: () => {},
    proof: () => 'proof of 9',
  })
  const object = decodeReservation(anObject(before))
  if (object?.kind !== 'asked') throw new Error('the object is no request')
  await writes.show(object, status)
  return written
}

describe('the status of a Reservation', () => {
  it('is written with a proof of how far the ledger is', async () => {
    expect(await show({}, STATUS)).toEqual([{ ...STATUS, ledgerProof: 'proof of 9' }])
  })

  it('is not written for another proof alone', async () => {
    expect(await show({ ...STATUS, ledgerProof: 'proof of 8' }, STATUS)).toEqual([])
  })
})
