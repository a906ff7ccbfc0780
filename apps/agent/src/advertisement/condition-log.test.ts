import { expect, it } from 'vitest'
import { ledgerCondition } from '../instructions/index.ts'
import { createConditionLog, createLedgerWarning } from './condition-log.ts'

it('logs a condition when its message changes, as a warning if it is False', () => {
  const lines: string[] = []
  const write = (level: string) => (facts: object | string, message?: string) =>
    void lines.push(`${level} ${JSON.stringify(facts)} ${message}`)
  const tell = createConditionLog({ info: write('info'), warn: write('warn') })
  const good = { type: 'Measured', status: 'True', reason: 'Counted', message: '2 nodes.' } as const
  const bad = { ...good, status: 'False', reason: 'SomeUnreadable', message: 'A pod.' } as const

  for (const condition of [good, good, bad, bad, good]) tell(condition, { nodes: 2 })

  expect(lines).toEqual([
    'info {"nodes":2,"condition":"Measured","reason":"Counted"} 2 nodes.',
    'warn {"nodes":2,"condition":"Measured","reason":"SomeUnreadable"} A pod.',
    'info {"nodes":2,"condition":"Measured","reason":"Counted"} 2 nodes.',
  ])
})

const OTHER = { kind: 'unconfirmed', ledgerId: 'L2', ours: 'L1', kept: 3 } as const
const FOLLOWED = { kind: 'followed', ledgerId: 'L1', index: 4 } as const

it('warns of a ledger to confirm, on the object that the operator annotates', () => {
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
