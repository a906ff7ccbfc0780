import type { LedgerEvent } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeObjects } from '../../../fixtures/store/kubernetes/objects.ts'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { createMemoryNotes } from '../../../fixtures/store/memory/memory-notes.ts'
import { aBatch } from '../../../fixtures/store/samples/journal-samples.ts'
import type { BrokerConfig } from '../../config/index.ts'
import { openKubernetesJournal } from '../../store/kubernetes/kubernetes-journal.ts'
import { createKubernetesNotes } from '../../store/kubernetes/kubernetes-store.ts'
import type { Journal } from '../../store/port/journal.ts'
import type { StoreNotes } from '../../store/port/store-notes.ts'
import { createSnapshotter } from '../../store/snapshots/snapshotter.ts'
import { openReplica } from './open-replica.ts'

/** Of a broker's settings, those that replica look at. */
const config = {
  ...{
    policy: defaultPolicy,
    currency: 'USD',
    staleAfterMs: 600_000,
    drainTimeoutMs: 120_000,
  },
  reclaimAfterMs: 86_400_000,
  historyMs: 3_600_000,
  journalMibPerDay: 1,
} as unknown as BrokerConfig
const MIB = 1024 * 1024

const founded = (ledgerId: string): LedgerEvent => ({ kind: 'founded', at: 1, ledgerId })
const advertised = (clusterId: string, bytes: number): LedgerEvent => ({
  kind: 'advertised',
  at: 1,
  clusterId,
  door: 'rest',
  advertisement: {
    clusterName: clusterId,
    capacity: {},
    allocatable: {},
    allocated: {},
    used: {},
    liqo: 'x'.repeat(bytes),
  },
})

/** A ring of objects keeps nothing that a snapshot covers, and is opened anew by each broker. */
const STORES = {
  memory() {
    const journal = createMemoryJournal()
    return { journal: async () => journal, notes: createMemoryNotes() }
  },
  kubernetes() {
    const place = { objects: createFakeObjects(), namespace: 'bourse' }
    return { journal: () => openKubernetesJournal(place), notes: createKubernetesNotes(place) }
  },
}

async function aStore(kind: keyof typeof STORES) {
  const { journal: openJournal, notes } = STORES[kind]()
  const history = createMemoryHistory()
  const journal = await openJournal()
  const write = (...events: readonly LedgerEvent[]) => append(journal, events)
  await write(founded('ledger-1'))
  const open = async () => {
    const store = { journal: await openJournal(), history, notes }
    const replica = await openReplica({ config, store })
    onTestFinished(replica.close)
    return replica
  }
  return { journal, notes, write, open }
}

async function append(journal: Journal, events: readonly LedgerEvent[]) {
  const batch = aBatch(await journal.head(), { at: Date.now(), events })
  await journal.append(batch)
  return batch
}

/** As the broker does it: batches that it covers are gone afterwards. */
async function takeSnapshot({ ledger, head, noteBudget }: Replica, journal: Journal) {
  const capture = async () => ({ image: ledger.capture(), head: head() })
  const snapshotter = createSnapshotter({
    journal,
    capture,
    beforeFinish: noteBudget,
    now: Date.now,
    historyMs: 0,
  })
  await snapshotter.run()
  await snapshotter.stop()
}
type Replica = Awaited<ReturnType<typeof openReplica>>

describe.each(['memory', 'kubernetes'] as const)('what a cluster has written, %s', (kind) => {
  it('counts after a restart: batches are replayed, and a snapshot leaves a note', async () => {
    const { journal, write, open } = await aStore(kind)
    await write(advertised('mallory', 2 * MIB))
    const replica = await open()
    const first = replica.budget.waitSeconds('mallory')
    await takeSnapshot(replica, journal)

    const again = (await open()).budget.waitSeconds('mallory')

    expect(first).toBeGreaterThan(86_000)
    expect(again).toBeGreaterThan(86_000)
    expect(again).toBeLessThanOrEqual(first ?? 0)
  })

  it('counts for a standby, and is the same for it as for the leader that noted it', async () => {
    const { journal, write, open } = await aStore(kind)
    const standby = await open()
    standby.take(await write(advertised('mallory', MIB)))
    const leader = await open()
    standby.take(await write(advertised('mallory', 1.5 * MIB)))
    await leader.catchUp()
    await takeSnapshot(leader, journal)
    const late = await open()

    const waits = [standby, leader, late].map(({ budget }) => budget.waitSeconds('mallory') ?? 0)

    for (const wait of waits) expect(Math.abs(wait - 1.5 * 86_400)).toBeLessThan(60)
  })

  it('writes nothing more to the store for clusters that stay modest', async () => {
    const { journal, notes, write, open } = await aStore(kind)
    await write(advertised('rome', 100))

    await takeSnapshot(await open(), journal)

    expect(await notes.read('journal-budget')).toBeUndefined()
  })

  it('is of its own ledger: one that was founded anew begins anew', async () => {
    const { journal, notes, write, open } = await aStore(kind)
    await write(advertised('mallory', 2 * MIB))
    await takeSnapshot(await open(), journal)
    await renameLedger(notes)

    expect((await open()).budget.waitSeconds('mallory')).toBeUndefined()
  })

  async function renameLedger(notes: StoreNotes) {
    const text = (await notes.read('journal-budget')) ?? ''
    await notes.write('journal-budget', text.replace('ledger-1', 'ledger-0'))
  }
})
