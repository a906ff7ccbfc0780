import { expect, it } from 'vitest'
import { ledgerCondition } from '../instructions/index.ts'
import { createLedgerWarning } from './ledger-warning.ts'

const OTHER = { kind: 'unconfirmed', ledgerId: 'L2', ours: 'L1', kept: 3 } as const
const FOLLOWED = { kind: 'followed', ledgerId: 'L1', index: 4 } as const

it('an operator is warned of a ledger to confirm, on the object where that is done', () => {
  const told: string[] = []
  const object = { apiVersion: 'v1', kind: 'Advertisement', metadata: { name: 'rome' } }
  const warn = createLedgerWarning({
    objectEvents: {
      tell: (kind, { metadata }, { type, reason, note }) =>
        void told.push(`${type} ${reason} ${kind.kind} ${metadata.name}: ${note}`),
    },
    own: { current: () => object },
  })

  for (const standing of [FOLLOWED, OTHER]) warn(ledgerCondition(standing))

  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^Warning OtherLedger Advertisement rome: .*confirm-ledger=L2$/)
})
