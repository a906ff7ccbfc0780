import { LEDGER_SEEN_ANNOTATION } from '@bourse/contract/kinds'
import { describe, expect, it } from 'vitest'
import type { SeenVerdict } from '../../rollback/rollback-guard.ts'
import { createSeenProofs } from './seen-proofs.ts'

function aReader(verdict: SeenVerdict = 'fine') {
  const judged: string[] = []
  const told: string[] = []
  const logged: string[] = []
  let at = 0
  const saw = createSeenProofs({
    judge(seen) {
      judged.push(seen)
      return verdict
    },
    tell: ({ metadata }, reason, note) => void told.push(`${metadata.name} ${reason}: ${note}`),
    log: { warn: (_: object, note: string) => void logged.push(note) },
    monotonic: () => at,
  })
  const later = (ms: number) => {
    at += ms
  }
  return { saw, judged, told, logged, later }
}

type Said = Readonly<{ annotations?: Record<string, string>; status?: Record<string, string> }>

const anObject = ({ annotations = {}, status = {} }: Said = {}) => ({
  apiVersion: 'broker.fluidos.eu/v1alpha1',
  kind: 'ClusterAdvertisement',
  metadata: { name: 'paris', namespace: 'default', annotations },
  status,
})
const forged = anObject({ annotations: { [LEDGER_SEEN_ANNOTATION]: 'ledger-1/99.hash.mac' } })

describe('what objects have seen of a ledger', () => {
  it('is what their status proves, and what an agent wrote beside it', () => {
    const { saw, judged, told } = aReader()
    const status = { ledgerID: 'ledger-1', ledgerProof: '7.hash.mac' }

    saw(anObject())
    saw(anObject({ status: { ledgerID: 'ledger-1' } }))
    saw(anObject({ status, annotations: { [LEDGER_SEEN_ANNOTATION]: 'ledger-1/8.hash.mac' } }))

    expect(judged).toEqual(['ledger-1/7.hash.mac', 'ledger-1/8.hash.mac'])
    expect(told).toEqual([])
  })

  it.each(['unproven', 'malformed'] as const)('is told of beside the object when %s', (verdict) => {
    const { saw, told, logged } = aReader(verdict)

    saw(forged)

    expect(told).toEqual([
      expect.stringContaining(`paris UnprovenIndex: ${LEDGER_SEEN_ANNOTATION}`),
    ])
    expect(logged).toEqual([expect.stringContaining('proves nothing')])
  })

  it('does not fill the log, however often a user writes it', () => {
    const { saw, told, logged, later } = aReader('unproven')

    for (let nth = 0; nth < 100; nth++) saw(forged)
    later(10_000)
    saw(forged)

    expect(told).toHaveLength(101)
    expect(logged).toHaveLength(2)
  })
})
