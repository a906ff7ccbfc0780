import type { LedgerSettings } from '@bourse/domain/ledger'
import { parseWeights } from '@bourse/domain/placement'
import type { BrokerConfig } from './index.ts'

/** The part of the configuration that decisions depend on. */
export function ledgerSettings(config: BrokerConfig): LedgerSettings {
  const { currency, staleAfterMs, drainTimeoutMs, reclaimAfterMs } = config
  const weights = Object.entries(config.scoreWeights).map(([name, weight]) => `${name}=${weight}`)
  const parsed = parseWeights(weights.join(','))
  if (parsed.kind === 'bad') throw new Error(`--score-weights: ${parsed.reason}`)
  return { policy: parsed.policy, currency, staleAfterMs, drainTimeoutMs, reclaimAfterMs }
}
