import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { consistent } from '../../fixtures/after-commit/audit-report.ts'
import type { AuditReport } from './auditor.ts'
import { createAuditLog } from './auditor.ts'

const found = (...findings: string[]): AuditReport => ({
  ...consistent,
  state: 'inconsistent',
  findings,
})

function aLog() {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { note: createAuditLog(log), lines }
}

describe('the log of the audit', () => {
  it('has each finding in words', () => {
    const { note, lines } = aLog()

    note(found('paris: 4 and 8.', 'rome: 1 and 2.'))

    expect(lines).toMatchObject([
      { level: 50, index: 7, findings: ['paris: 4 and 8.', 'rome: 1 and 2.'] },
    ])
  })

  it('says the same once, not twice a minute, and again when it differs', () => {
    const { note, lines } = aLog()

    for (const one of ['a', 'a', 'b', 'b']) note(found(one))

    expect(lines.map(({ findings }) => findings)).toEqual([['a'], ['b']])
  })

  it('says when the ledger is consistent again, and otherwise nothing', () => {
    const { note, lines } = aLog()

    for (const report of [consistent, found('a'), consistent, consistent]) note(report)

    expect(lines.map(({ msg }) => msg)).toEqual([
      'the ledger is inconsistent',
      'the ledger is consistent again',
    ])
  })
})
