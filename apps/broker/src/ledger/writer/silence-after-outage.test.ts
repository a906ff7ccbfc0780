import { createLedger } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aLedgerWriter, settings } from '../../../fixtures/ledger/writer/writer.ts'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { NO_HEAD } from '../../store/codec/batch.ts'

const HOUR_MS = 3_600_000
const supply = { cpu: 10_000n }
const facts = { capacity: supply, allocatable: supply, allocated: {}, used: {} }

/** paris lends to rome without an end, and rome has just been heard. */
async function aFederation() {
  const ledger = createLedger(settings)
  const journal = createMemoryJournal()
  let [now, index, hash] = [HOUR_MS, NO_HEAD.index, NO_HEAD.hash]
  let pressure: string | undefined
  const start = () =>
    aLedgerWriter({
      ledger,
      journal,
      head: { index, hash },
      now: () => now,
      pressure: () => pressure,
    })
  const writer = start()
  const advertisement = { clusterName: 'paris', ...facts }
  await writer.submit({ kind: 'advertise', door: 'rest', clusterId: 'paris', advertisement })
  const wish = { requester: 'rome', wanted: { cpu: 1_000n }, priority: 0 }
  await writer.submit({ kind: 'reserve', door: 'rest', ...wish })
  await writer.submit({ kind: 'hear', requester: 'rome' })
  ;({ index, hash } = await journal.head())
  return {
    ledger,
    writer,
    start,
    pass: (ms: number) => {
      now += ms
    },
    press: (why: string | undefined) => {
      pressure = why
    },
  }
}

describe('a writer that has not listened for days', () => {
  it('takes no requester for gone because of the time before it began', async () => {
    const { ledger, start, pass } = await aFederation()

    pass(50 * HOUR_MS)
    await start().submit({ kind: 'tick' })
    pass(23 * HOUR_MS)
    await start().submit({ kind: 'tick' })

    expect(ledger.liveCount).toBe(1)
  })

  it('takes no requester for gone because of the time in which it could take nothing', async () => {
    const { ledger, writer, pass, press } = await aFederation()
    press('The journal has no room.')
    await writer.submit({ kind: 'tick' }).catch(() => {})

    pass(50 * HOUR_MS)
    press(undefined)
    await writer.submit({ kind: 'tick' })
    const after = ledger.liveCount
    pass(24 * HOUR_MS)
    await writer.submit({ kind: 'tick' })

    expect(after).toBe(1)
    expect(ledger.liveCount).toBe(0)
  })
})
