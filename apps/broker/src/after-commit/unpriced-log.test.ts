import { expect, it } from 'vitest'
import { aLedgerWriter } from '../../fixtures/ledger/writer/writer.ts'
import { createMemoryJournal } from '../../fixtures/store/memory/memory-journal.ts'
import { createUnpricedLog } from './unpriced-log.ts'

const WHY = 'prices in EUR do not count: no rate to USD is known; see --rates'

function aBroker() {
  const writer = aLedgerWriter({ journal: createMemoryJournal() })
  const said: unknown[] = []
  const log = { warn: (facts: unknown, message?: string) => void said.push([facts, message]) }
  const ratesChanged = createUnpricedLog({ writer, currency: 'USD', log })
  return {
    said,
    async advertise(clusterId: string, currency: string, cpu = 40_000_000n) {
      const amounts = { capacity: { cpu: 8_000n }, allocatable: { cpu: 8_000n }, allocated: {} }
      const advertisement = { clusterName: '', ...amounts, used: {}, cost: { cpu, currency } }
      await writer.submit({ kind: 'advertise', door: 'rest', clusterId, advertisement })
      // Looked at after the commit, before any later reader.
      await writer.read(() => {})
    },
    async setRates(rates: ReadonlyMap<string, bigint>) {
      await writer.betweenCommits((ledger) => ledger.setRates(rates))
      ratesChanged()
      await writer.read(() => {})
    },
  }
}

it('says once that the prices of a cluster do not count', async () => {
  const { said, advertise } = aBroker()

  await advertise('oslo', 'USD')
  await advertise('paris', 'EUR')
  await advertise('paris', 'EUR', 50_000_000n)

  expect(said).toEqual([[{ count: 1, clusters: ['paris'] }, WHY]])
})

it('says it in one line for all of them, when a rate is taken away', async () => {
  const { said, advertise, setRates } = aBroker()
  await setRates(new Map([['EUR', 1_080_000_000n]]))
  await advertise('paris', 'EUR')
  await advertise('rome', 'EUR')
  expect(said).toEqual([])

  await setRates(new Map())

  expect(said).toEqual([[{ count: 2, clusters: ['paris', 'rome'] }, WHY]])
})
