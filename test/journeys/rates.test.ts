// Budget: 15 seconds. Prices in another currency, on a real broker whose rates are in a file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anAdvertisement, aRequest, startBroker } from '@bourse/testkit'
import { expect, it, onTestFinished } from 'vitest'

it('counts prices by the rates in its file, and says of which it knows none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-rates-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const rates = join(dir, 'rates')
  writeFileSync(rates, 'GBP=1.25\n')
  const broker = await startBroker({ flags: [`--rates=@${rates}`] })
  onTestFinished(() => broker.dispose())
  const operator = await broker.aRawOperator()
  for (const [id, currency] of Object.entries({ paris: 'EUR', bath: 'GBP', boston: 'USD' })) {
    const caller = await broker.aRawCaller(id)
    const cost = { cpuCost: '0.10', currency }
    await caller.post('/api/v1/advertisements', anAdvertisement(id, { cpu: '10' }, { cost }))
  }
  const asked = aRequest({ cpu: '1' }, { requesterID: 'rome' })
  const prices = async (): Promise<unknown> => {
    const { json } = await operator.post('/api/v1/evaluations', asked)
    const rows: { clusterID: string; price?: { perHour: string }; unpriced?: string }[] = json.rows
    return Object.fromEntries(
      rows.map((row) => [row.clusterID, row.price?.perHour ?? row.unpriced]),
    )
  }
  const unpriced = 'prices in EUR do not count: no rate to USD is known'
  const unpricedCount = async () => {
    const told = await (await fetch(broker.metricsUrl)).text()
    return /^broker_clusters\{state="unpriced"\} (\d+)$/m.exec(told)?.[1]
  }

  expect(await prices()).toEqual({ paris: unpriced, bath: '0.125', boston: '0.1' })
  expect(await unpricedCount()).toBe('1')
  await expect.poll(() => broker.logs().split(unpriced).length - 1).toBe(1)
  const { json: granted } = await operator.post('/api/v1/reservations', {
    ...asked,
    targetClusterID: 'bath',
  })
  writeFileSync(rates, 'GBP=2\nEUR=1.08\n')

  await expect.poll(prices).toEqual({ paris: '0.108', bath: '0.2', boston: '0.1' })
  expect(await unpricedCount()).toBe('0')
  const { json: explained } = await operator.get(`/api/v1/reservations/${granted.id}/explanation`)
  // As it was decided, though the rate is another one by now.
  expect(granted.cost).toEqual({ perHour: '0.125', currency: 'USD' })
  expect(explained.rows[0]).toMatchObject({ clusterID: 'bath', price: { perHour: '0.125' } })
})
