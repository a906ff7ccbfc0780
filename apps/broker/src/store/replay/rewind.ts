import {
  createLedger,
  hiddenFrom,
  type Ledger,
  type LedgerSettings,
  type Reservation,
} from '@bourse/domain/ledger'
import { type Policy, parseWeights, type Ranking } from '@bourse/domain/placement'
import { parseRates, type Rates } from '@bourse/domain/quantity'
import { openBatch } from '../codec/batch.ts'
import type { DecisionRecord } from '../port/history.ts'
import { CompactedAway, type ReadableJournal } from '../port/journal.ts'
import { loadSnapshot } from './replay.ts'

export type Question = Readonly<{
  journal: ReadableJournal
  settings: LedgerSettings
  record: DecisionRecord
  /** The cluster that reads it; none: all numbers are shown. */
  reader?: string | undefined
}>

/** The full table behind a decision, or nothing if the journal no longer reaches back to it. */
export async function rankingAt(question: Question): Promise<Ranking | undefined> {
  const { journal, settings, record, reader } = question
  const ledger = createLedger({ ...settings, policy: policyOf(record, settings.policy) })
  ledger.setRates(ratesOf(record))
  const granted = await rewind(journal, ledger, record)
  if (!granted) return undefined
  const currency = granted.price?.currency ?? settings.currency
  if (currency !== settings.currency)
    return rankingAt({ ...question, settings: { ...settings, currency } })
  const ranking = ledger.evaluate(record.request)
  if (!isOf(ranking, record)) return undefined
  return reader === undefined
    ? ranking
    : ledger.evaluate(record.request, hiddenFrom(reader, ledger))
}

/**
 * Another best cluster means that the decision was made with settings that this broker no longer
 * has.
 */
function isOf({ rows: [first] }: Ranking, { decision: { best } }: DecisionRecord): boolean {
  return best[0] === undefined || first?.clusterId === best[0].clusterId
}

/** The weights may have changed since: with today's, another cluster might have won. */
function policyOf({ decision }: DecisionRecord, current: Policy): Policy {
  const parsed = parseWeights(decision.policy)
  // One that cannot be read names a scorer that this version no longer has.
  return parsed.kind === 'ok' ? parsed.policy : current
}

/** A rate of today would give other prices. */
function ratesOf({ decision }: DecisionRecord): Rates {
  const parsed = parseRates(decision.rates ?? '')
  // A decision notes what `formatRates` wrote.
  return parsed.kind === 'ok' ? parsed.rates : new Map()
}

/**
 * Brings an empty ledger to the moment just before a decision, and says what was granted by it;
 * nothing: the journal forgot it.
 */
async function rewind(
  journal: ReadableJournal,
  ledger: Ledger,
  { index, reservationId }: DecisionRecord,
): Promise<Reservation | undefined> {
  try {
    let { head } = await loadSnapshot({ journal, ledger }, index - 1)
    for await (const sealed of journal.read(head.index + 1)) {
      for (const event of openBatch(sealed, head).events) {
        if (event.kind === 'reserved' && event.reservation.id === reservationId)
          return event.reservation
        ledger.apply(event)
      }
      if (sealed.index >= index) return undefined
      head = { index: sealed.index, hash: sealed.hash }
    }
  } catch (thrown) {
    if (!(thrown instanceof CompactedAway)) throw thrown
  }
  return undefined
}
