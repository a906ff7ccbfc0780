import { type Command, createLedger } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { expect, it } from 'vitest'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import { createProviderNotes } from './provider-notes.ts'

const MINUTE_MS = 60_000

it('calls a cluster silent exactly as long as the ledger does', async () => {
  const ledger = createLedger({
    policy: defaultPolicy,
    currency: 'USD',
    staleAfterMs: MINUTE_MS,
    drainTimeoutMs: MINUTE_MS,
    reclaimAfterMs: MINUTE_MS,
  })
  let follow: Parameters<LedgerWriter['subscribe']>[0] = () => {}
  const noteOf = await createProviderNotes({
    read: async (query) => query(ledger, 1),
    subscribe: (reader) => {
      follow = reader
      return () => {}
    },
  })
  const run = (now: number, command: Command) => {
    const { events } = ledger.execute(command, { now, index: 2 })
    follow({ index: 2, at: now, events, text: '' })
    return [ledger.cluster('paris')?.isStale, noteOf('paris').isStale]
  }
  const published = (cpu: bigint, stamp: string): Command => {
    const supply = { capacity: { cpu }, allocatable: { cpu }, allocated: {}, used: {} }
    const advertisement = { clusterName: 'paris', ...supply, stamp }
    return { kind: 'advertise', door: 'kubernetes', clusterId: 'paris', advertisement }
  }

  expect(run(0, published(1n, 'first'))).toEqual([false, false])
  expect(run(MINUTE_MS, { kind: 'tick' })).toEqual([true, true])
  // An edit of what was published is not a sign of life of its publisher.
  expect(run(MINUTE_MS, published(2n, 'first'))).toEqual([true, true])
  expect(run(MINUTE_MS, published(2n, 'second'))).toEqual([false, false])
})
