import { createLedger, type Ledger } from '@bourse/domain/ledger'
import type { BrokerConfig } from '../../config/index.ts'
import { ledgerSettings } from '../../config/ledger-settings.ts'
import { budgetNoteText, createJournalBudget, readBudgetNote } from '../../fair-share/index.ts'
import { openBatch } from '../../store/codec/batch.ts'
import { createHistoryKeeper } from '../../store/history/history-keeper.ts'
import { createPruner } from '../../store/history/pruner.ts'
import { createRequestMemory } from '../../store/history/request-memory.ts'
import type { SealedBatch } from '../../store/port/journal.ts'
import type { Store } from '../../store/port/store.ts'
import { replay } from '../../store/replay/replay.ts'

type Ports = Readonly<{ config: BrokerConfig; store: Pick<Store, 'journal' | 'history' | 'notes'> }>

const MIB = 1024 * 1024

export type Replica = Awaited<ReturnType<typeof openReplica>>

/** Runs an action while the ledger holds committed state only. */
type Between = <T>(action: (ledger: Ledger) => T) => Promise<T>

/**
 * The ledger as replayed from the journal, with its request ids, history and journal budget. A
 * standby keeps it up to date batch by batch. On a leader only the ledger writer changes it.
 */
export async function openReplica({ config, store }: Ports) {
  const { journal, history, notes } = store
  const ledger = createLedger(ledgerSettings(config))
  const requests = createRequestMemory(history)
  /** Memory forgets nothing before the replay has handed over everything that has ended. */
  const opening = Promise.withResolvers<void>()
  // A replica applies each batch synchronously: any other turn is between two batches.
  let between: Between = async (action) => action(ledger)
  const keeper = createHistoryKeeper({
    history,
    note: requests.note,
    forget: async (batch) => {
      await opening.promise
      return between((held) => held.forget(batch))
    },
    recordedThrough: await history.recordedThrough(),
  })
  const budget = createJournalBudget(config.journalMibPerDay * MIB, () => now())
  const replayed = await replay({
    journal,
    ledger,
    onPart: keeper.takePart,
    onLoaded: recallBudget,
    onBatch(batch) {
      keeper.take(batch)
      budget.follow(batch)
    },
  })
  let { head, lastAt } = replayed
  opening.resolve()
  await requests.refresh()
  const lastMoment = () => Math.max(lastAt, ledger.lastAt)
  let now = () => Math.max(Date.now(), lastMoment())
  const { historyMs } = config
  const pruner = createPruner({ history, now: () => now(), historyMs, refresh: requests.refresh })

  return {
    ledger,
    keeper,
    requests,
    budget,
    noteBudget,
    replayed,
    head: () => head,
    /** When the last batch was sealed. */
    lastAt: lastMoment,
    take,
    catchUp,
    handOverTo: (writer: Readonly<{ betweenCommits: Between }>, brokersTime: () => number) => {
      between = writer.betweenCommits
      now = brokersTime
    },
    trouble: () => keeper.trouble() ?? pruner.trouble(),
    close,
  }

  async function close(): Promise<void> {
    await pruner.stop()
    await keeper.close()
  }

  /** Applies the batch that follows. Throws `DamagedJournal`. */
  function take(sealed: SealedBatch): void {
    const batch = openBatch(sealed, head)
    for (const event of batch.events) ledger.apply(event)
    head = { index: sealed.index, hash: sealed.hash }
    lastAt = batch.at
    keeper.take(batch)
    budget.follow({ ...batch, text: sealed.text })
  }

  /** To be called before a snapshot covers the batches that were counted. */
  async function noteBudget(): Promise<void> {
    const note = budget.note(ledger.ledgerId)
    if (note) await notes.write('journal-budget', budgetNoteText(note))
  }

  /** Read after the snapshot, so that the note covers at least as much. */
  async function recallBudget(): Promise<void> {
    const note = await readBudgetNote(await notes.read('journal-budget'))
    if (note?.ledgerId === ledger.ledgerId) budget.recall(note)
  }

  async function catchUp(): Promise<void> {
    for await (const sealed of journal.read(head.index + 1)) take(sealed)
  }
}
