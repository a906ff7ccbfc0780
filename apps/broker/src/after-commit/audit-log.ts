import type { Logger } from 'pino'
import type { AuditReport } from './auditor.ts'

/**
 * Logs findings in full. Probes and metrics only count them, because every client may read those.
 */
export function createAuditLog(log: Pick<Logger, 'error' | 'info'>) {
  let written = ''

  return function note({ index, findings }: AuditReport): void {
    const found = findings.join('\n')
    // The audit runs twice a minute, and what does not add up rarely heals.
    if (found === written) return
    written = found
    if (found === '') log.info({ index }, 'the books add up again')
    else log.error({ index, findings }, 'the books do not add up')
  }
}
