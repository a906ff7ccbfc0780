import type { AuditState } from '@bourse/contract/dashboard'
import type { AuditReport } from '../../after-commit/auditor.ts'

/** The auditor's report in a word and a sentence. */
export function toAuditState({ state, index, at, findings }: AuditReport): AuditState {
  switch (state) {
    case 'starting':
      return { verdict: 'unknown', detail: 'The first audit has not finished yet.' }
    case 'consistent': {
      const detail = `Events, recount and running sums agree at index ${index}.`
      return { verdict: 'sound', detail, checkedAt: at }
    }
    case 'inconsistent':
      return { verdict: 'unsound', detail: findings.join(' '), checkedAt: at }
  }
}
