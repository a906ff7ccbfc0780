import type { Logger } from 'pino'
import type { AuditReport } from './auditor.ts'

/**
 * Logs findings in full. Probes and metrics only count them, because every client may read those.
 */
export function createAuditLog(log: Pick<Logger, 'error' | 'info'>) {
  let written = ''

  return function note({ index, findings }: AuditReport): void {
    const found = findings.join('\n')
    // The audit runs twice a minute, and an inconsistency rarely heals.
    if (found === written) return
    written = found
    if (found === '') log.info({ index }, 'the ledger is consistent again')
    else log.error({ index, findings }, 'the ledger is inconsistent')
  }
}
