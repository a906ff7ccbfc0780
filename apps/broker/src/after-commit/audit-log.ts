import type { Logger } from 'pino'
import type { AuditReport } from './auditor.ts'

/** Writes findings down in full: probes and metrics, which anybody may ask, only count them. */
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
