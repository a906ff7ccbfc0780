import { systemPatience } from '@bourse/kube'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { createPace, type Pace } from './pace.ts'

/** While commits come in the windows hold back, so that the journal has the API server. */
const WRITES_PER_SECOND = { busy: 200, quiet: 1_000 }
const WRITES_BURST = 200
const BUSY_FOR_MS = 500

/** How fast what nobody waits for may be written. */
export function createWindowPace(writer: Pick<LedgerWriter, 'subscribe'>): Pace {
  const { monotonic, sleep } = systemPatience
  let committedAt = Number.NEGATIVE_INFINITY
  writer.subscribe(() => {
    committedAt = monotonic()
  })
  const perSecond = () =>
    monotonic() - committedAt < BUSY_FOR_MS ? WRITES_PER_SECOND.busy : WRITES_PER_SECOND.quiet
  return createPace({ perSecond, burst: WRITES_BURST, monotonic, sleep })
}
