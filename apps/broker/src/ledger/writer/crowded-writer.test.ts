import type { Command } from '@bourse/domain/ledger'
import { createLedger } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { describe, expect, it } from 'vitest'
import { NO_HEAD } from '../../store/codec/batch.ts'
import { createMemoryJournal } from '../../store/memory/memory-journal.fixture.ts'
import { createLedgerWriter, WriterUnavailable } from './ledger-writer.ts'

const reserve: Command = {
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu: 1n },
  priority: 0,
}

describe('a ledger writer with thousands of waiting commands', () => {
  it('turns away at once what would wait for seconds, and decides the rest', async () => {
    const { writer } = aWriter()

    const asked = Array.from({ length: 10_000 }, () => writer.submit(reserve))
    const wasCrowded = writer.isCrowded()
    const settled = await Promise.allSettled(asked)
    const later = await writer.submit(reserve)

    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused.length).toBeGreaterThan(1_000)
    expect(refused.length).toBeLessThan(5_000)
    for (const reason of refused) expect(reason).toBeInstanceOf(WriterUnavailable)
    expect(wasCrowded).toBe(true)
    expect(writer.isCrowded()).toBe(false)
    expect(later.outcome.kind).toBe('refused')
  })

  it('decides a crowd in few commits, as turns of the event loop are long then', async () => {
    const { writer, commits } = aWriter()
    const advertisement = { clusterName: 'paris', allocated: {}, used: {} }
    const supply = { capacity: { cpu: 10_000n }, allocatable: { cpu: 10_000n } }

    await Promise.all([
      writer.submit({
        kind: 'advertise',
        door: 'rest',
        clusterId: 'paris',
        advertisement: { ...advertisement, ...supply },
      }),
      ...Array.from({ length: 8_000 }, () => writer.submit(reserve)),
    ])

    expect(commits()).toBeLessThan(10)
  })
})

function aWriter() {
  const journal = createMemoryJournal()
  let committed = 0
  const writer = createLedgerWriter({
    ledger: createLedger({
      policy: defaultPolicy,
      currency: 'EUR',
      staleAfterMs: 600_000,
      drainTimeoutMs: 120_000,
      reclaimAfterMs: 86_400_000,
    }),
    journal,
    head: NO_HEAD,
    writerId: 'test',
    now: () => 1_000,
    recall: () => undefined,
    pressure: () => undefined,
    crash(cause) {
      throw cause
    },
    meters: { decided() {}, unsettled() {}, committed: () => void committed++ },
  })
  return { writer, commits: () => committed }
}
