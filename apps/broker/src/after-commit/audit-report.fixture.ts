import type { AuditReport } from './auditor.ts'

export const consistent: AuditReport = {
  state: 'consistent',
  index: 7,
  at: 1_000,
  clusters: 2,
  reservations: 1,
  findings: [],
}
