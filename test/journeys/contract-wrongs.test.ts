// Budget: 30 seconds. Contract §7: what the Go original gets wrong, row by row, on a real broker.
import {
  anAdvertisement,
  aRequest,
  type RawCaller,
  type RawReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const ONE_CPU = { cpu: '1' }

describe('contract §7', () => {
  let broker: TestBroker
  let rome: RawCaller
  let operator: RawCaller

  beforeEach(async () => {
    broker = await startBroker()
    rome = await broker.aRawCaller('rome')
    operator = await broker.aRawOperator()
  })
  afterEach(() => broker?.dispose())

  it('1: ten requests of 1 CPU lock exactly ten, and all of them come back', async () => {
    await advertise('paris', { cpu: '10' })

    const granted = await reserveAll(10)
    const locked = await resourcesOf('paris')
    await Promise.all(granted.map(({ json }) => release(json.id)))

    expect(statuses(granted)).toEqual({ 201: 10 })
    expect(locked).toMatchObject({ reserved: { cpu: '10' }, available: { cpu: '0' } })
    const freed = await resourcesOf('paris')
    expect(freed).toMatchObject({ reserved: { cpu: '0' }, available: { cpu: '10' } })
  })

  it('2: publishing does not reset what is reserved', async () => {
    await advertise('paris', { cpu: '10' })
    await reserveAll(10)

    await advertise('paris', { cpu: '10' }, { clusterName: 'Paris again' })
    const eleventh = await rome.post(RESERVATIONS, aRequest(ONE_CPU))

    expect(eleventh.status).toBe(409)
    expect(await resourcesOf('paris')).toMatchObject({ reserved: { cpu: '10' } })
  })

  it('3: a negative reserved is refused, and a timestamp in 2099 is not believed', async () => {
    const body = anAdvertisement('rome')
    const resources = { ...body.resources, reserved: { cpu: '-1000' } }

    const negative = await rome.post(ADVERTISEMENTS, { ...body, resources })
    const early = await rome.post(ADVERTISEMENTS, { ...body, timestamp: '2099-01-01T00:00:00Z' })

    expect(negative).toMatchObject({ status: 400, json: { code: 'InvalidRequest' } })
    expect(negative.json.fields).toMatchObject([{ path: 'resources.reserved.cpu' }])
    expect(early.status).toBe(200)
    expect(Date.parse(early.json.advertisement.timestamp)).toBeLessThan(Date.now() + 60_000)
  })

  it('4: GPUs are counted and locked, also when allocated names none', async () => {
    await advertise('paris', { cpu: '10', gpu: '2' })

    const granted = await reserveAll(3, { cpu: '1', gpu: '1' })

    expect(statuses(granted)).toEqual({ 201: 2, 409: 1 })
    expect(await resourcesOf('paris')).toMatchObject({ reserved: { gpu: '2' } })
  })

  it('5: a request sent four times books once', async () => {
    await advertise('paris', { cpu: '10' })
    const request = aRequest(ONE_CPU, { requestId: 'job-7' })

    const replies = await Promise.all([1, 2, 3, 4].map(() => rome.post(RESERVATIONS, request)))

    expect(statuses(replies)).toEqual({ 200: 3, 201: 1 })
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1)
    expect(await resourcesOf('paris')).toMatchObject({ reserved: { cpu: '1' } })
  })

  it('5: fifty requests in the same millisecond get fifty names', async () => {
    await advertise('paris', { cpu: '50' })

    const granted = await reserveAll(50)

    expect(new Set(granted.map(({ json }) => json.id)).size).toBe(50)
  })

  it('6: fifty simultaneous requests that fit are all granted', async () => {
    const cities = ['paris', 'oslo', 'turin', 'bern', 'bonn']
    await Promise.all(cities.map((city) => advertise(city, { cpu: '10' })))

    const granted = await reserveAll(50)

    expect(statuses(granted)).toEqual({ 201: 50 })
    const full = await Promise.all(cities.map(async (city) => (await resourcesOf(city)).reserved))
    expect(full).toMatchObject(cities.map(() => ({ cpu: '10' })))
  })

  it('6: a request that loses the race for the best cluster gets the next', async () => {
    await advertise('paris', { cpu: '8' })
    await advertise('oslo', { cpu: '7' })

    const granted = await reserveAll(2, { cpu: '6' })

    expect(statuses(granted)).toEqual({ 201: 2 })
    expect(granted.map(({ json }) => json.targetClusterID).sort()).toEqual(['oslo', 'paris'])
  })

  it('7: who is told 409 holds nothing', async () => {
    await advertise('paris', { cpu: '20' })

    const replies = await reserveAll(30)

    expect(statuses(replies)).toEqual({ 201: 20, 409: 10 })
    expect(await resourcesOf('paris')).toMatchObject({ reserved: { cpu: '20' } })
    const held = await rome.get(`${RESERVATIONS}?role=requester`)
    expect(held.json.items).toHaveLength(20)
  })

  it('8: a reservation is activated, renewed and released', async () => {
    await advertise('paris', { cpu: '10' })
    const { json } = await rome.post(RESERVATIONS, aRequest(ONE_CPU, { duration: '1h' }))

    const active = await rome.post(`${RESERVATIONS}/${json.id}/activate`)
    const renewed = await rome.post(`${RESERVATIONS}/${json.id}/renew`, { duration: '2h' })
    const released = await release(json.id)

    expect(active.json.status.phase).toBe('Active')
    const longer = Date.parse(renewed.json.status.expiresAt) - Date.parse(json.status.expiresAt)
    expect(longer).toBeGreaterThanOrEqual(3_600_000)
    expect(released.json.status).toMatchObject({ phase: 'Released', reason: 'Released' })
  })

  it('8: expiry comes on time, not at the next sweep', async () => {
    await advertise('paris', { cpu: '10' })
    const granted = await rome.post(RESERVATIONS, aRequest(ONE_CPU, { duration: '1s' }))

    const waiting = `${RESERVATIONS}/${granted.json.id}?wait=60s&after=${granted.index}`
    const { json } = await rome.get(waiting)

    const lateMs = Date.parse(json.status.endedAt) - Date.parse(granted.json.status.expiresAt)
    expect(json.status).toMatchObject({ phase: 'Released', reason: 'Expired' })
    expect(lateMs).toBeGreaterThanOrEqual(0)
    // Sweeps are a minute apart where there are any.
    expect(lateMs).toBeLessThan(30_000)
    expect(await resourcesOf('paris')).toMatchObject({ available: { cpu: '10' } })
  })

  it('9: no cluster reads the inventory or the business of another', async () => {
    await advertise('paris', { cpu: '10' })
    const { json } = await rome.post(RESERVATIONS, aRequest(ONE_CPU))
    const oslo = await broker.aRawCaller('oslo')

    const replies = await Promise.all([
      oslo.get(`${ADVERTISEMENTS}/paris`),
      oslo.get(ADVERTISEMENTS),
      oslo.get(`${RESERVATIONS}/${json.id}`),
      oslo.get(`${RESERVATIONS}/${json.id}/explanation`),
      oslo.send({ method: 'DELETE', path: `${RESERVATIONS}/${json.id}` }),
    ])
    const lists = await Promise.all([oslo.get(RESERVATIONS), oslo.get('/api/v1/instructions')])

    for (const { status } of replies) expect([403, 404]).toContain(status)
    expect(lists.map((list) => list.json)).toEqual([{ items: [] }, []])
    expect(JSON.stringify(replies.map((reply) => reply.json))).not.toContain('"cpu"')
  })

  it('9: an explanation shows numbers only of clusters that show them', async () => {
    await advertise('paris', { cpu: '10' })
    await advertise('oslo', { cpu: '9' }, { visibility: 'full' })
    const { json } = await rome.post(RESERVATIONS, aRequest(ONE_CPU))

    const explained = await rome.get(`${RESERVATIONS}/${json.id}/explanation`)

    const rows = new Map(
      explained.json.rows.map((row: { clusterID: string }) => [row.clusterID, row]),
    )
    expect(rows.get('oslo')).toHaveProperty('available')
    expect(rows.get('paris')).not.toHaveProperty('available')
    expect(rows.get('paris')).not.toHaveProperty('score')
    expect(rows.get('paris')).toMatchObject({ band: 'good', rounded: true })
  })

  it('10: a price counts by how much it differs, and an address stays', async () => {
    const cost = (cpuCost: string) => ({ cpuCost, memoryCost: '0', currency: 'USD' })
    const endpointURL = 'https://oslo.example:6443'
    await advertise('paris', { cpu: '10' }, { cost: cost('0.10') })
    await advertise('oslo', { cpu: '10' }, { cost: cost('0.05'), endpointURL })

    const { json } = await rome.post(RESERVATIONS, aRequest(ONE_CPU))
    const explained = await operator.get(`${RESERVATIONS}/${json.id}/explanation`)

    expect(json).toMatchObject({ targetClusterID: 'oslo', endpointURL })
    expect(json.cost).toEqual({ perHour: '0.05', currency: 'USD' })
    const parts = explained.json.rows.map((row: { clusterID: string; parts: object }) => [
      row.clusterID,
      row.parts,
    ])
    // cost = 100 · cheapest / price: 100 · 0.05 / 0.10 = 50
    expect(Object.fromEntries(parts)).toMatchObject({
      oslo: { cost: '100.00' },
      paris: { cost: '50.00' },
    })
  })

  it('10: priority belongs to the request and ranks no clusters', async () => {
    await advertise('paris', { cpu: '10' })
    await advertise('oslo', { cpu: '9' })

    const [low, high] = await Promise.all(
      [0, 100].map((priority) => rome.post('/api/v1/evaluations', aRequest(ONE_CPU, { priority }))),
    )
    const granted = await rome.post(RESERVATIONS, aRequest(ONE_CPU, { priority: 100 }))

    expect(high?.json.rows).toEqual(low?.json.rows)
    expect(granted.json.priority).toBe(100)
  })

  it('13: instructions follow every change and disappear with the reservation', async () => {
    const paris = await advertise('paris', { cpu: '10' })
    const { json } = await rome.post(RESERVATIONS, aRequest(ONE_CPU, { duration: '1h' }))
    const before = await paris.get('/api/v1/instructions')

    const renewed = await rome.post(`${RESERVATIONS}/${json.id}/renew`, { duration: '3h' })
    const updated = await paris.get('/api/v1/instructions')
    await release(json.id)
    const after = await paris.get('/api/v1/instructions')

    expect(before.json).toMatchObject([{ id: json.id, requestedResources: ONE_CPU }])
    expect(updated.json).toMatchObject([{ status: { expiresAt: renewed.json.status.expiresAt } }])
    expect(after.json).toEqual([])
  })

  it('15: a body has a limit (time-outs, drain and reload: see the faults)', async () => {
    const padded = { ...anAdvertisement('rome'), padding: 'x'.repeat(1_100_000) }

    const reply = await rome.post(ADVERTISEMENTS, padded)

    expect(reply).toMatchObject({ status: 413, json: { code: 'BodyTooLarge' } })
  })

  async function advertise(
    clusterId: string,
    capacity: Record<string, string>,
    more: Parameters<typeof anAdvertisement>[2] = {},
  ): Promise<RawCaller> {
    const caller = await broker.aRawCaller(clusterId)
    const reply = await caller.post(ADVERTISEMENTS, anAdvertisement(clusterId, capacity, more))
    expect(reply.status, reply.text).toBe(200)
    return caller
  }

  function reserveAll(
    count: number,
    wanted: Record<string, string> = ONE_CPU,
  ): Promise<RawReply[]> {
    const asked = Array.from({ length: count }, () => rome.post(RESERVATIONS, aRequest(wanted)))
    return Promise.all(asked)
  }

  const release = (id: string) => rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${id}` })

  async function resourcesOf(clusterId: string) {
    return (await operator.get(`${ADVERTISEMENTS}/${clusterId}`)).json.resources
  }
})

function statuses(replies: readonly RawReply[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
