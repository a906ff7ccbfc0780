import { LEDGER_SEEN_ANNOTATION } from '@bourse/contract/names'
import { describe, expect, it } from 'vitest'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import {
  type Place,
  type ReservationObject,
  releasedEarly,
  requestObject,
} from './broker-objects.ts'
import { createLedgerSense } from './ledger-sense.ts'

const proofAt = (index: number) => `${index}.${'a'.repeat(16)}.${'A'.repeat(22)}`

/** A broker that answers each question at the index it has then. */
function aSense() {
  const seen = createSeenProofs()
  const place: Place = { clusterId: 'rome', namespace: 'default', seen: seen.text }
  const broker = { index: 5 }
  const asked: ReservationObject[] = []
  const sense = createLedgerSense({
    place,
    seen,
    closing: new AbortController().signal,
    onTrouble: () => {},
    client: {
      async create<T>(_: unknown, object: T) {
        const { metadata } = object as unknown as ReservationObject
        const made = { ...object, metadata: { ...metadata, uid: metadata.name } }
        asked.push(made as unknown as ReservationObject)
        return made
      },
      delete: async () => {},
      serverTime: () => undefined,
    },
    requested: { until: async (find) => find(asked.map((one) => answered(one, broker.index))) },
  })
  return { ...sense, seen, place, broker, asked }
}

function answered(object: ReservationObject, index: number): ReservationObject {
  const stamp = { ledgerID: 'ledger-1', ledgerIndex: index, ledgerProof: proofAt(index) }
  return { ...object, status: { phase: 'Released', ...stamp } }
}

describe('what is known of the ledger behind objects', () => {
  it('comes with its proof, which the next object takes back', async () => {
    const { stamp, place, asked } = aSense()

    const known = await stamp()

    expect(known).toMatchObject({ ledgerId: 'ledger-1', index: 5, proof: proofAt(5) })
    expect(asked[0]?.metadata.annotations).not.toHaveProperty([LEDGER_SEEN_ANNOTATION])
    const wanted = { requestedResources: { cpu: '1' } }
    for (const next of [requestObject(place, 'job', wanted), releasedEarly(place, 'ask')])
      expect(next.metadata.annotations).toMatchObject({
        [LEDGER_SEEN_ANNOTATION]: `ledger-1/${proofAt(5)}`,
      })
  })

  it('is never replaced by what an older copy says', async () => {
    const { stamp, ask, broker, seen } = aSense()
    await stamp()

    broker.index = 2
    await ask()

    expect(seen.text()).toBe(`ledger-1/${proofAt(5)}`)
    expect(await stamp()).toMatchObject({ proof: proofAt(5) })
  })

  it('begins with what an earlier run has seen', async () => {
    const { stamp, seen, asked } = aSense()
    seen.remember({ ledgerId: 'ledger-1', proof: proofAt(40) })

    await stamp()

    expect(asked[0]?.metadata.annotations).toMatchObject({
      [LEDGER_SEEN_ANNOTATION]: `ledger-1/${proofAt(40)}`,
    })
  })

  it('takes the proof of an advertisement, and not its index', async () => {
    const { stamp, sawProof } = aSense()
    const status = { ledgerID: 'ledger-1', ledgerIndex: 9, ledgerProof: proofAt(9) }
    await stamp()

    sawProof({ apiVersion: '', kind: '', metadata: { name: 'cluster-rome' }, status })

    expect(await stamp()).toMatchObject({ index: 5, proof: proofAt(9) })
  })
})
