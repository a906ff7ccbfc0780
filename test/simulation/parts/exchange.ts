import {
  BURIED,
  type Command,
  createLedger,
  type ImagePart,
  type Ledger,
  type LedgerEvent,
  type LedgerSettings,
  partsOf,
  type RememberedRequest,
  type Reservation,
} from '@bourse/domain/ledger'
import { scopeOf } from '../oracle/grants.ts'

const LEDGER_ID = 'story'
const FORMER: LedgerEvent = { kind: 'founded', at: 0, ledgerId: LEDGER_ID }

/** The real ledger with what a broker keeps beside it: journal, snapshot and history. */
export function createExchange(settings: LedgerSettings) {
  let ledger = createLedger(settings)
  ledger.apply(FORMER)
  let rates: ReadonlyMap<string, bigint> = new Map()
  let journal: LedgerEvent[] = [FORMER]
  /** Where the journal begins, if its beginning was dropped. */
  let base: readonly ImagePart[] = []
  let snapshot: Readonly<{ parts: readonly ImagePart[]; length: number }> | undefined
  const history = new Map<string, { granted?: Reservation; isBuried?: true }>()
  return {
    get ledger(): Ledger {
      return ledger
    },
    execute,
    forget,
    setRates,
    save,
    compact,
    restart,
    prune,
  }

  function execute(command: Command, moment: Parameters<Ledger['execute']>[1]) {
    const done = ledger.execute(withMemory(command), moment)
    journal.push(...done.events)
    return done
  }

  /** As the writer does: the history is asked for every request id. */
  function withMemory(command: Command): Command {
    if (command.kind !== 'reserve' && command.kind !== 'releaseRequest') return command
    const { door, requester, requestId } = command
    const row = requestId === undefined ? {} : history.get(scopeOf({ door, requester, requestId }))
    const remembered = row && rememberedOf(row)
    return remembered ? { ...command, remembered } : command
  }

  function rememberedOf({ granted, isBuried }: { granted?: Reservation; isBuried?: true }) {
    if (granted) {
      const reservation = isBuried ? { ...granted, fingerprint: BURIED } : granted
      return { kind: 'granted', reservation } satisfies RememberedRequest
    }
    return isBuried ? ({ kind: 'tombstone' } satisfies RememberedRequest) : undefined
  }

  /** The history takes the first so many, and memory drops them. Returns their ids. */
  function forget(count: number): string[] {
    const ended = [...ledger.ended()].slice(0, count)
    const tombstones = ledger.capture().tombstones.slice(0, count)
    for (const granted of ended) {
      const { door, requester, requestId } = granted
      if (requestId === undefined) continue
      const key = scopeOf({ door, requester, requestId })
      history.set(key, { ...history.get(key), granted })
    }
    for (const one of tombstones) {
      const key = scopeOf(one)
      history.set(key, { ...history.get(key), isBuried: true })
    }
    const ids = ended.map(({ id }) => id)
    ledger.forget({ ended: ids, tombstones })
    return ids
  }

  /** All but what memory still has. */
  function prune(): void {
    for (const [key, { granted }] of history)
      if (!granted || !ledger.reservation(granted.id)) history.delete(key)
  }

  function setRates(next: ReadonlyMap<string, bigint>): void {
    rates = next
    ledger.setRates(rates)
  }

  function save(): void {
    snapshot = { parts: [...partsOf(ledger.capture())], length: journal.length }
  }

  function compact(): void {
    if (!snapshot) return
    base = snapshot.parts
    journal = journal.slice(snapshot.length)
    snapshot = undefined
  }

  function restart(from: 'image' | 'snapshot' | 'journal'): void {
    const whole = { parts: base, length: 0 }
    const image = { parts: [...partsOf(ledger.capture())], length: journal.length }
    const { parts, length } = from === 'image' ? image : (from === 'snapshot' && snapshot) || whole
    ledger = createLedger(settings)
    for (const part of parts) ledger.load(part)
    for (const event of journal.slice(length)) ledger.apply(event)
    ledger.setRates(rates)
  }
}
