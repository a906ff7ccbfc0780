import type { LedgerSettings } from '@bourse/domain/ledger'
import type { BrokerConfig } from './index.ts'

/** The part of the configuration that decisions depend on. */
export function ledgerSettings(config: BrokerConfig): LedgerSettings {
  const { policy, currency, staleAfterMs, drainTimeoutMs, reclaimAfterMs } = config
  return { policy, currency, staleAfterMs, drainTimeoutMs, reclaimAfterMs }
}
