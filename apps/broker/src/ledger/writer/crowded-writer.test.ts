import type { Command } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aLedgerWriter } from '../../../fixtures/ledger/writer/writer.ts'
import { WriterUnavailable } from './ledger-writer.ts'

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
  let committed = 0
  const writer = aLedgerWriter({
    meters: { decided() {}, unsettled() {}, committed: () => void committed++ },
  })
  return { writer, commits: () => committed }
}
