import { expect, it } from 'vitest'
import { aLedgerWriter } from '../../fixtures/ledger/writer/writer.ts'
import { createMemoryJournal } from '../../fixtures/store/memory/memory-journal.ts'
import type { Journal } from '../store/port/journal.ts'
import { createMetrics } from './metrics.ts'

function aBroker(journal: Journal) {
  const metrics = createMetrics({ tenants: false })
  const writer = aLedgerWriter({ journal, meters: metrics.meters })
  metrics.observeWriter(writer, () => 0)
  const advertise = (clusterId: string, currency = 'USD') => {
    const amounts = { capacity: { cpu: 8_000n }, allocatable: { cpu: 8_000n } }
    const cost = { currency, cpu: 1n }
    const advertisement = { clusterName: clusterId, ...amounts, allocated: {}, used: {}, cost }
    return writer.submit({ kind: 'advertise', door: 'rest', clusterId, advertisement })
  }
  return { writer, advertise, scrape: () => metrics.registry.metrics() }
}

it('tells that the journal is in trouble, while it is', async () => {
  const memory = createMemoryJournal()
  let isFull = false
  const { writer, advertise, scrape } = aBroker({
    ...memory,
    append: async (batch) =>
      isFull ? { kind: 'unknown', cause: new Error('No space left') } : memory.append(batch),
  })
  await advertise('paris')
  await scrape()
  isFull = true
  const stuck = advertise('rome')
  await expect.poll(writer.trouble).toContain('No space left')

  const told = await scrape()

  expect(told).toContain('broker_ready 0')
  expect(told).toContain('broker_unsettled_commits_total{outcome="unknown"} 1')
  expect(told).toContain('broker_capacity{resource="cpu",kind="allocatable"} 8')
  isFull = false
  await stuck
  expect(await scrape()).toContain('broker_capacity{resource="cpu",kind="allocatable"} 16')
})

it('counts the clusters whose prices do not count', async () => {
  const { advertise, scrape } = aBroker(createMemoryJournal())

  await advertise('paris', 'USD')
  await advertise('rome', 'EUR')

  const told = await scrape()
  expect(told).toContain('broker_clusters{state="open"} 2')
  expect(told).toContain('broker_clusters{state="unpriced"} 1')
})

it('times the choice of a provider, granted or refused, and no other command', async () => {
  const { writer, advertise, scrape } = aBroker(createMemoryJournal())
  const reserve = (cpu: bigint) =>
    writer.submit({
      kind: 'reserve',
      door: 'rest',
      requester: 'rome',
      priority: 0,
      wanted: { cpu },
      requestId: `r${cpu}`,
      fingerprint: `${cpu}`,
    })
  await advertise('paris')
  await writer.submit({ kind: 'hear', requester: 'rome' })
  await reserve(1_000n)
  await reserve(99_000n)
  await reserve(1_000n)

  const told = await scrape()

  expect(told).toContain('broker_selection_duration_seconds_count 2\n')
  expect(told).toContain('broker_decisions_total{outcome="known"} 1')
  expect(told).toContain('broker_decisions_total{outcome="advertised"} 1')
})
