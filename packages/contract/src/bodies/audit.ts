import { z } from 'zod'
import { Moment } from '../fields/quantities.ts'

/** What the live auditor found when it derived the totals again from the events alone. */
export const AuditReport = z
  .object({
    state: z.enum(['starting', 'consistent', 'inconsistent']),
    index: z.int().meta({ description: 'Journal index up to which it has checked.' }),
    checkedAt: Moment,
    clusters: z.int(),
    reservations: z.int(),
    findings: z
      .array(z.string())
      .meta({ description: 'What differs, in sentences; empty if all is well.' }),
  })
  .meta({ id: 'AuditReport' })
export type AuditReport = z.infer<typeof AuditReport>

export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Health' })
export type Health = z.infer<typeof Health>
