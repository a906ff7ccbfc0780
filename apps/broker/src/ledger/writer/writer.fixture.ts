import { createLedger, type LedgerSettings } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { NO_HEAD } from '../../store/codec/batch.ts'
import { createMemoryJournal } from '../../store/memory/memory-journal.fixture.ts'
import { createLedgerWriter } from './ledger-writer.ts'

type Ports = Parameters<typeof createLedgerWriter>[0]

export const settings: LedgerSettings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
}

/** A writer of an empty ledger in memory at the time 1000; a crash throws. */
export function aLedgerWriter(ports: Partial<Ports> = {}) {
  return createLedgerWriter({
    ledger: createLedger(settings),
    journal: createMemoryJournal(),
    head: NO_HEAD,
    writerId: 'test',
    now: () => 1_000,
    recall: () => undefined,
    pressure: () => undefined,
    meters: { decided() {}, committed() {}, unsettled() {} },
    crash: (cause) => {
      throw cause
    },
    ...ports,
  })
}
