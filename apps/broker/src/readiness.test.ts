import { describe, expect, it } from 'vitest'
import { consistent } from '../fixtures/after-commit/audit-report.ts'
import type { AuditReport } from './after-commit/auditor.ts'
import { createReadiness } from './readiness.ts'

function reportWith(audit: AuditReport) {
  const readiness = createReadiness()
  const fine = { trouble: undefined, rollback: undefined, chores: undefined }
  readiness.follow(() => ({ ...fine, audit, transports: [] }))
  return readiness.report()
}

describe('what a probe is told of connections', () => {
  it.each([
    { when: 'while it starts', begin: () => undefined },
    { when: 'while it stands by', begin: standBy },
  ])('is how many there are, also $when', ({ begin }) => {
    const readiness = createReadiness(() => 'api 3 of 10')
    begin(readiness)

    expect(readiness.report().checks.connections).toBe('api 3 of 10')
  })

  function standBy(readiness: ReturnType<typeof createReadiness>): void {
    readiness.standBy(() => ({ isWarm: true, index: 7, leader: 'b', trouble: undefined }))
  }
})

describe('what a probe is told of the audit', () => {
  it('is that the books add up, and as of when', () => {
    expect(reportWith(consistent).checks.audit).toBe('consistent at index 7')
  })

  it.each([
    { findings: ['paris: the events add up to 4 cpu, and a recount finds 8.'], said: '1 finding' },
    { findings: ['paris: …', 'ps-1: this peering of rome with oslo …'], said: '2 findings' },
  ])('names no cluster when they do not: any client may ask ($said)', ({ findings, said }) => {
    const { isReady, checks } = reportWith({ ...consistent, state: 'inconsistent', findings })

    expect(checks.audit).toBe(`inconsistent at index 7: ${said}, see bourse audit`)
    expect(isReady).toBe(true)
  })
})
