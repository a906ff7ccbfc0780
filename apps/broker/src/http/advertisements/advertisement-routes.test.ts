import { describe, expect, it } from 'vitest'
import { advertisement, anApi, LEDGER_ID } from '../../../fixtures/http/server/api.ts'

describe('POST /advertisements', () => {
  it('answers an agent of the Go original with its advertisement and no instructions yet', async () => {
    const { advertise } = await anApi()

    const { status, body, headers } = await advertise('paris')

    expect(status).toBe(200)
    expect(body.advertisement).toMatchObject({
      clusterID: 'paris',
      clusterName: 'paris one',
      resources: {
        capacity: { cpu: '10', memory: '16Gi' },
        reserved: { cpu: '0', memory: '0' },
        available: { cpu: '10', memory: '16Gi' },
      },
      status: { phase: 'Active', accepting: 'open', score: '100.00', band: 'excellent' },
    })
    expect(body).not.toHaveProperty('providerInstructions')
    expect(headers).toMatchObject({ 'bourse-ledger': LEDGER_ID, 'bourse-index': '1' })
  })

  it('brings the instructions of the caller along', async () => {
    const { advertise, post } = await anApi()
    await advertise('paris')
    await post('rome', '/reservations', { requestedResources: { cpu: '3' } })

    const { body } = await advertise('paris')

    expect(body.providerInstructions).toMatchObject([
      { requesterID: 'rome', targetClusterID: 'paris', requestedResources: { cpu: '3' } },
    ])
    expect(body.advertisement.resources).toMatchObject({
      reserved: { cpu: '3' },
      available: { cpu: '7' },
    })
  })

  it('shows the largest fit and the GPU models that an agent sends along', async () => {
    const { advertise } = await anApi()

    const { body } = await advertise('paris', {
      largestFit: { cpu: '1500m' },
      gpuModels: { 'NVIDIA-A100': 8 },
    })

    expect(body.advertisement).toMatchObject({
      largestFit: { cpu: '1500m' },
      gpuModels: { 'NVIDIA-A100': 8 },
    })
  })

  it('says when the prices do not count, and no more once there is a rate', async () => {
    const { advertise, writer } = await anApi()
    const cost = { cpuCost: '0.05', currency: 'EUR' }
    const before = await advertise('paris', { cost })
    await writer.betweenCommits((ledger) => ledger.setRates(new Map([['EUR', 1_080_000_000n]])))
    const after = await advertise('paris', { cost })

    const unpriced = 'prices in EUR do not count: no rate to USD is known'
    expect(before.body.advertisement.status).toMatchObject({ unpriced })
    expect(after.body.advertisement.status).not.toHaveProperty('unpriced')
  })

  it('refuses to speak for another cluster', async () => {
    const { post } = await anApi()

    const { status, body } = await post('rome', '/advertisements', advertisement('paris'))

    expect(status).toBe(403)
    expect(body).toMatchObject({
      code: 'NotYours',
      error: "The certificate is rome's, not paris's.",
    })
  })

  it('does not believe reserved, available or a timestamp in 2099', async () => {
    const { post } = await anApi()
    const resources = {
      ...advertisement('paris').resources,
      reserved: { cpu: '9', memory: '1Gi' },
      available: { cpu: '99', memory: '1Gi' },
    }

    const { status, body } = await post('paris', '/advertisements', {
      ...advertisement('paris', { resources, timestamp: '2099-01-01T00:00:00Z' }),
    })

    expect(status).toBe(200)
    expect(body.advertisement).toMatchObject({
      resources: { reserved: { cpu: '0' }, available: { cpu: '10' } },
      timestamp: '2026-11-01T12:00:00.000Z',
    })
  })

  it('takes null and empty strings for what is not given, as Go writes them', async () => {
    const { post } = await anApi()
    const capacity = { cpu: '4', memory: '8Gi', gpu: '', storage: null }

    const { status, body } = await post('paris', '/advertisements', {
      clusterID: 'paris',
      resources: { capacity, allocated: null, reserved: null },
      cost: null,
      labels: null,
    })

    expect(status).toBe(200)
    expect(body.advertisement).toMatchObject({
      clusterName: 'paris',
      resources: { allocatable: { cpu: '4', memory: '8Gi' }, allocated: {} },
    })
  })

  it('speaks the dialect of the caller: gpu stays gpu', async () => {
    const { post } = await anApi()
    const capacity = { cpu: '4', memory: '8Gi', gpu: '2' }

    const { body } = await post('paris', '/advertisements', {
      clusterID: 'paris',
      resources: { capacity },
    })

    expect(body.advertisement.resources.available).toEqual({ cpu: '4', memory: '8Gi', gpu: '2' })
  })

  it('gives a place back in the form it came, so that its agent can read the answer', async () => {
    const { advertise, get } = await anApi()
    const location = { city: 'Torino', countryCode: 'IT', lat: 45 }

    const { body } = await advertise('paris', {
      location,
      cost: { renewable: true, energyCost: 3 },
    })
    const later = await get('paris', '/advertisements/paris')

    expect(body.advertisement.location).toEqual(location)
    expect(later.body.location).toBe('Torino, IT')
  })

  it.each([
    {
      name: 'negative reserved',
      more: { resources: { capacity: { cpu: '1' }, reserved: { cpu: '-1000' } } },
      path: 'resources.reserved.cpu',
    },
    {
      name: 'malformed available',
      more: { resources: { capacity: { cpu: '1' }, available: { cpu: 'lots' } } },
      path: 'resources.available.cpu',
    },
    {
      name: 'more allocatable than capacity',
      more: { resources: { capacity: { cpu: '1' }, allocatable: { cpu: '2' } } },
      path: 'resources.allocatable.cpu',
    },
    {
      name: 'more allocatable gpu than capacity, by the name it was written with',
      more: { resources: { capacity: { 'nvidia.com/gpu': 1 }, allocatable: { gpu: 2 } } },
      path: 'resources.allocatable.gpu',
    },
    {
      name: 'more allocatable nvidia.com/gpu than capacity, by the name it was written with',
      more: { resources: { capacity: { gpu: 1 }, allocatable: { 'nvidia.com/gpu': 2 } } },
      path: 'resources.allocatable["nvidia.com/gpu"]',
    },
    {
      name: 'gpu and nvidia.com/gpu that disagree',
      more: { resources: { capacity: { gpu: '1', 'nvidia.com/gpu': '2' } } },
      path: 'resources.capacity["nvidia.com/gpu"]',
    },
    {
      name: 'an absurd quantity',
      more: { resources: { capacity: { memory: '9999999999999E' } } },
      path: 'resources.capacity.memory',
    },
    {
      name: 'an endpoint that is not https',
      more: { endpointURL: 'http://paris' },
      path: 'endpointURL',
    },
    {
      name: 'a price that is no decimal',
      more: { cost: { cpuCost: 'x', currency: 'USD' } },
      path: 'cost.cpuCost',
    },
    { name: 'a price without a currency', more: { cost: { cpuCost: '1' } }, path: 'cost.currency' },
    { name: 'a label that is none', more: { labels: { 'a b': 'c' } }, path: 'labels["a b"]' },
    { name: 'no resources', more: { resources: undefined }, path: 'resources' },
    {
      name: 'a capacity that is a list',
      more: { resources: { capacity: [] } },
      path: 'resources.capacity',
    },
    {
      name: 'use that is negative',
      more: { used: { 'rsv-1': { cpu: '-1' } } },
      path: 'used.rsv-1.cpu',
    },
    { name: 'half a GPU model', more: { gpuModels: { a100: 0.5 } }, path: 'gpuModels.a100' },
    { name: 'a negative fit', more: { largestFit: { cpu: '-1' } }, path: 'largestFit.cpu' },
    { name: 'an unknown visibility', more: { visibility: 'some' }, path: 'visibility' },
    { name: 'a cluster id with slashes', more: { clusterID: 'a/b' }, path: 'clusterID' },
  ])('refuses $name and names the field', async ({ more, path }) => {
    const { advertise, writer } = await anApi()

    const { status, body } = await advertise('paris', more)

    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'InvalidRequest', status: 400, fields: [{ path }] })
    expect(body.error).toBe(body.detail)
    expect(writer.index()).toBe(0)
  })

  it.each([
    { name: 'liqo', more: { liqo: 'DEEP' } },
    { name: 'location', more: { location: { at: 'DEEP' } } },
  ])(
    'refuses a $name nested beyond any stack before anything is changed',
    async ({ name, more }) => {
      const { call, get, writer } = await anApi()
      const written = JSON.stringify(advertisement('paris', more))
      const payload = written.replace('"DEEP"', '['.repeat(100_000) + ']'.repeat(100_000))

      const { status, body } = await call('paris', {
        method: 'POST',
        url: '/advertisements',
        payload,
        headers: { 'content-type': 'application/json' },
      })

      expect([status, body.fields[0].path, writer.index()]).toEqual([400, name, 0])
      expect((await get('operator', '/advertisements')).status).toBe(200)
    },
  )

  it('names every bad field at once', async () => {
    const { advertise } = await anApi()

    const { body } = await advertise('paris', {
      endpointURL: 'ftp://x',
      resources: { capacity: { cpu: '-1', memory: 'x' } },
    })

    expect(body.fields.map(({ path }: { path: string }) => path)).toEqual([
      'resources.capacity.cpu',
      'resources.capacity.memory',
      'endpointURL',
    ])
  })

  it('reports how far a clock is off, and refuses nothing for it', async () => {
    const skews: [string, number][] = []
    const { advertise } = await anApi({ skew: (id, ms) => skews.push([id, ms]) })

    const { status } = await advertise('paris', { timestamp: '2026-11-01T12:00:05Z' })

    expect(status).toBe(200)
    expect(skews).toEqual([['paris', 5_000]])
  })
})

describe('GET /advertisements', () => {
  it('shows a cluster to itself and to operators only', async () => {
    const { advertise, get } = await anApi()
    await advertise('paris')

    const statuses = await Promise.all(
      ['paris', 'operator', 'rome'].map(
        async (as) => (await get(as, '/advertisements/paris')).status,
      ),
    )

    expect(statuses).toEqual([200, 200, 403])
  })

  it('answers 404 for a cluster that has never advertised', async () => {
    const { get } = await anApi()

    const { status, body } = await get('paris', '/advertisements/paris')

    expect(status).toBe(404)
    expect(body.code).toBe('AdvertisementNotFound')
  })

  it('lists clusters for operators, page by page', async () => {
    const { advertise, get } = await anApi()
    await advertise('rome')
    await advertise('berlin')
    await advertise('paris')

    const first = await get('operator', '/advertisements?limit=2')
    const second = await get('operator', `/advertisements?cursor=${first.body.nextCursor}`)

    expect(first.body.items).toMatchObject([{ clusterID: 'berlin' }, { clusterID: 'paris' }])
    expect(second.body.items).toMatchObject([{ clusterID: 'rome' }])
    expect(second.body).not.toHaveProperty('nextCursor')
  })

  it('does not list clusters for a cluster', async () => {
    const { get } = await anApi()

    const { status, body } = await get('rome', '/advertisements')

    expect(status).toBe(403)
    expect(body.code).toBe('OperatorOnly')
  })
})

describe('cordon, uncordon and withdraw', () => {
  it.each([
    { verb: 'cordon', by: 'paris', accepting: 'cordoned' },
    { verb: 'uncordon', by: 'operator', accepting: 'open' },
    { verb: 'withdraw', by: 'operator', accepting: 'withdrawn' },
  ])('$by may $verb', async ({ verb, by, accepting }) => {
    const { advertise, post } = await anApi()
    await advertise('paris')

    const { status, body } = await post(by, `/advertisements/paris/${verb}`)

    expect(status).toBe(200)
    expect(body.status.accepting).toBe(accepting)
  })

  it.each([
    { payload: { grace: '10m' }, at: '12:10:00' },
    { payload: { grace: '0s' }, at: '12:00:00' },
    { payload: { grace: '' }, at: '12:05:00' },
    { payload: {}, at: '12:05:00' },
    { payload: undefined, at: '12:05:00' },
  ])('withdraws with a grace: $payload', async ({ payload, at }) => {
    const { advertise, post } = await anApi()
    await advertise('paris')

    const { body } = await post('paris', '/advertisements/paris/withdraw', payload)

    expect(body.status.withdrawnAt).toBe(`2026-11-01T${at}.000Z`)
  })

  it.each([
    { name: 'another cluster', as: 'rome', id: 'paris', payload: {}, status: 403 },
    { name: 'an unknown cluster', as: 'operator', id: 'oslo', payload: {}, status: 404 },
    {
      name: 'a grace that is no time',
      as: 'paris',
      id: 'paris',
      payload: { grace: '1y' },
      status: 400,
    },
  ])('refuses $name', async ({ as, id, payload, status }) => {
    const { advertise, post } = await anApi()
    await advertise('paris')

    const reply = await post(as, `/advertisements/${id}/withdraw`, payload)

    expect(reply.status).toBe(status)
  })

  it.each([
    { name: 'a grace that is a number', payload: { grace: 5 }, path: 'grace' },
    { name: 'a body that is a list', payload: [], path: 'body' },
  ])('names only what is wrong with $name', async ({ payload, path }) => {
    const { post } = await anApi()

    const { status, body } = await post('paris', '/advertisements/paris/withdraw', payload)

    expect(status).toBe(400)
    expect(body.fields.map((field: { path: string }) => field.path)).toEqual([path])
  })
})
