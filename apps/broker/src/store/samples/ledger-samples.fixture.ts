import {
  type Advertisement,
  createLedger,
  type Ledger,
  type LedgerEvent,
} from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { NO_HEAD, sealBatch } from '../codec/batch.ts'
import type { Head, Journal } from '../port/journal.ts'
import { replay } from '../replay/replay.ts'
import { createSnapshotter } from '../snapshots/snapshotter.ts'

export const settings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 600_000,
  drainTimeoutMs: 120_000,
  reclaimAfterMs: 86_400_000,
}

/** A ledger with a journal behind it, without the writer's queue. */
export function aLedger(journal: Journal) {
  const ledger = createLedger(settings)
  let head: Head = NO_HEAD
  const commit = async (events: readonly LedgerEvent[]) => {
    const at = 1_000 + head.index
    const batch = sealBatch({
      index: head.index + 1,
      writer: 'test',
      previous: head.hash,
      at,
      events,
    })
    await journal.append(batch)
    head = { index: batch.index, hash: batch.hash }
  }
  const happen = async (event: LedgerEvent) => {
    ledger.apply(event)
    await commit([event])
  }
  const found = () => happen({ kind: 'founded', at: 1, ledgerId: 'ledger-1' })
  const execute = async (command: Parameters<Ledger['execute']>[0]) => {
    const { outcome, events } = ledger.execute(command, { now: 1_000, index: head.index + 1 })
    await commit(events)
    return outcome
  }
  const advertise = (clusterId: string, cpu: bigint, more: Partial<Advertisement> = {}) =>
    execute({
      kind: 'advertise',
      door: 'rest',
      clusterId,
      advertisement: {
        clusterName: clusterId,
        capacity: { cpu },
        allocatable: { cpu },
        allocated: {},
        used: {},
        ...more,
      },
    })
  const reserve = async (cpu: bigint) => {
    const outcome = await execute({
      kind: 'reserve',
      door: 'rest',
      requester: 'rome',
      wanted: { cpu },
      priority: 0,
    })
    if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
    return outcome.reservation
  }
  const snapshot = async (now = 1_000) => {
    const snapshotter = createSnapshotter({
      journal,
      capture: async () => ({ image: ledger.capture(), head }),
      beforeFinish: async () => {},
      now: () => now,
      historyMs: 0,
    })
    await snapshotter.run()
    await snapshotter.stop()
    return snapshotter.trouble()
  }
  return { ledger, happen, found, execute, advertise, reserve, snapshot, head: () => head }
}

export async function replayed(journal: Journal) {
  const ledger = createLedger(settings)
  return { ledger, ...(await replay({ journal, ledger })) }
}
