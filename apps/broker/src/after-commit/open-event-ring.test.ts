import { createLedger } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import pino from 'pino'
import { expect, it } from 'vitest'
import { createMemoryJournal } from '../../fixtures/store/memory/memory-journal.ts'
import { createLedgerWriter } from '../ledger/writer/ledger-writer.ts'
import type { Journal } from '../store/port/journal.ts'
import { openEventRing } from './open-event-ring.ts'

const limits = { staleAfterMs: 600_000, drainTimeoutMs: 120_000, reclaimAfterMs: 86_400_000 }

/** A broker on this journal, which may have been another's before. */
async function aBroker(journal: Journal) {
  const writer = createLedgerWriter({
    ledger: createLedger({ policy: defaultPolicy, currency: 'USD', ...limits }),
    journal,
    head: await journal.head(),
    writerId: 'test',
    pressure: () => undefined,
    meters: { decided() {}, committed() {}, unsettled() {} },
    now: () => 0,
    recall: () => undefined,
    crash: () => {},
  })
  const ring = openEventRing({ writer, journal, log: pino({ level: 'silent' }) })
  const advertise = (clusterId: string) =>
    writer.submit({
      kind: 'advertise',
      door: 'rest',
      clusterId,
      advertisement: { clusterName: '', capacity: {}, allocatable: {}, allocated: {}, used: {} },
    })
  return { ring, advertise }
}

it('a broker that takes over tells without a hole what was committed before and since', async () => {
  const journal = createMemoryJournal()
  const first = await aBroker(journal)
  await first.advertise('paris')
  await first.advertise('rome')

  const second = await aBroker(journal)
  await second.advertise('oslo')
  await second.ring.filled

  const told = [0, 1, 2].map((index) => second.ring.after(index))
  expect(told).toMatchObject(
    ['paris', 'rome', 'oslo'].map((clusterId, at) => ({ index: at + 1, events: [{ clusterId }] })),
  )
  expect(second.ring.after(3)).toBeUndefined()
})
