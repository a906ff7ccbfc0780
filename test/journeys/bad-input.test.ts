// Budget: 30 seconds. Issue "Bad input": the documented 4xx, the field named, nothing changed.
import { readFileSync } from 'node:fs'
import {
  anAdvertisement,
  aRequest,
  createRawCaller,
  makeTestCertificates,
  type RawCaller,
  type RawRequest,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ADVERTISEMENTS = '/api/v1/advertisements'
const RESERVATIONS = '/api/v1/reservations'
const SECRET = 'do-not-write-me-down'
const MEGABYTE = 1024 * 1024

type Row = Readonly<{
  name: string
  asked: RawRequest
  status: number
  code: string
  /** The one field that is wrong, if it is one. */
  field?: string
}>

const post = (path: string, body: unknown): RawRequest => ({ method: 'POST', path, body })
const reserve = (wanted: Record<string, unknown>, more = {}) =>
  post(RESERVATIONS, { requestedResources: wanted, ...more })
const lasting = (duration: string) => reserve({ cpu: '1' }, { duration })
const advertise = (more: object) => post(ADVERTISEMENTS, { ...anAdvertisement('rome'), ...more })
const having = (resources: object) =>
  advertise({ resources: { ...anAdvertisement('rome').resources, ...resources } })
const invalid = (name: string, asked: RawRequest, field: string): Row => ({
  name,
  asked,
  status: 400,
  code: 'InvalidRequest',
  field,
})
const manyNames = Object.fromEntries(
  Array.from({ length: 65 }, (_, n) => [`example.com/r${n}`, '1']),
)

const rows: readonly Row[] = [
  {
    name: 'half a JSON document',
    asked: post(RESERVATIONS, '{"requestedResources": {"cpu":'),
    status: 400,
    code: 'MalformedJson',
  },
  {
    name: 'a body nested a hundred thousand deep',
    asked: post(RESERVATIONS, '['.repeat(100_000)),
    status: 400,
    code: 'MalformedJson',
  },
  {
    name: 'a body of another type',
    asked: { ...post(RESERVATIONS, 'cpu=1'), headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'UnsupportedMediaType',
  },
  {
    name: 'headers beyond their limit',
    asked: { path: RESERVATIONS, headers: { 'x-padding': 'x'.repeat(20_000) } },
    status: 431,
    code: 'HeadersTooLarge',
  },
  {
    name: 'an unknown address',
    asked: { path: '/api/v1/nothing' },
    status: 404,
    code: 'RouteNotFound',
  },
  {
    name: 'an unknown method',
    asked: { method: 'PATCH', path: RESERVATIONS },
    status: 405,
    code: 'MethodNotAllowed',
  },
  {
    name: 'a reservation that never was',
    asked: { path: `${RESERVATIONS}/no-such` },
    status: 404,
    code: 'ReservationNotFound',
  },
  {
    name: 'the advertisement of another cluster',
    asked: post(ADVERTISEMENTS, anAdvertisement('paris')),
    status: 403,
    code: 'NotYours',
  },
  {
    name: 'a request for another cluster',
    asked: reserve({ cpu: '1' }, { requesterID: 'paris' }),
    status: 403,
    code: 'NotYours',
  },

  invalid('a body that is a list', post(RESERVATIONS, []), ''),
  invalid('no resources', post(RESERVATIONS, {}), 'requestedResources'),
  invalid('only zeros', reserve({ cpu: '0' }), 'requestedResources'),
  invalid('a negative quantity', reserve({ cpu: '-1' }), 'requestedResources.cpu'),
  invalid('a quantity of 2^63', reserve({ memory: '8Ei' }), 'requestedResources.memory'),
  invalid(
    'an exponent to fill all memory',
    reserve({ cpu: '1e999999999' }),
    'requestedResources.cpu',
  ),
  invalid('a quantity in words', reserve({ cpu: 'lots' }), 'requestedResources.cpu'),
  invalid('a quantity as an object', reserve({ cpu: {} }), 'requestedResources.cpu'),
  invalid('half a GPU', reserve({ gpu: '0.5' }), 'requestedResources.gpu'),
  invalid('65 resources', reserve(manyNames), 'requestedResources'),
  invalid(
    'a gpu and an nvidia.com/gpu that disagree',
    reserve({ gpu: '1', 'nvidia.com/gpu': '2' }),
    'requestedResources["nvidia.com/gpu"]',
  ),
  invalid('a duration of -1h', lasting('-1h'), 'duration'),
  invalid('a duration of 0s', lasting('0s'), 'duration'),
  invalid('a duration of 1y', lasting('1y'), 'duration'),
  invalid('a duration beyond the limit', lasting('721h'), 'duration'),
  invalid('a priority with a fraction', reserve({ cpu: '1' }, { priority: 1.5 }), 'priority'),
  invalid(
    'a request id of 200',
    reserve({ cpu: '1' }, { requestId: 'x'.repeat(200) }),
    'requestId',
  ),
  invalid(
    'a target in capitals',
    reserve({ cpu: '1' }, { targetClusterID: 'Paris' }),
    'targetClusterID',
  ),
  invalid('a waiting line', reserve({ cpu: '1' }, { queue: true }), 'queue'),

  invalid('no cluster id', advertise({ clusterID: undefined }), 'clusterID'),
  invalid('a cluster id with dots', advertise({ clusterID: 'rome.example' }), 'clusterID'),
  invalid('a cluster id with a slash', advertise({ clusterID: '../rome' }), 'clusterID'),
  invalid('a cluster id of 64', advertise({ clusterID: 'r'.repeat(64) }), 'clusterID'),
  invalid('a negative reserved', having({ reserved: { cpu: '-1000' } }), 'resources.reserved.cpu'),
  invalid(
    'a malformed available',
    having({ available: { memory: '4Gb' } }),
    'resources.available.memory',
  ),
  invalid('no capacity', advertise({ resources: {} }), 'resources.capacity'),
  invalid(
    'more allocatable than there is',
    having({ allocatable: { cpu: '9', memory: '32Gi' } }),
    'resources.allocatable.cpu',
  ),
  invalid(
    'a negative price',
    advertise({ cost: { cpuCost: '-1', currency: 'EUR' } }),
    'cost.cpuCost',
  ),
  invalid('a price without currency', advertise({ cost: { cpuCost: '1' } }), 'cost.currency'),
  invalid(
    'a plain http endpoint',
    advertise({ endpointURL: 'http://rome.example' }),
    'endpointURL',
  ),
  invalid('an unknown visibility', advertise({ visibility: 'some' }), 'visibility'),

  invalid('a wait in words', { path: '/api/v1/instructions?wait=soon' }, 'wait'),
  invalid('a negative after', { path: '/api/v1/instructions?wait=1s&after=-1' }, 'after'),
  invalid('a page of none', { path: `${RESERVATIONS}?limit=0` }, 'limit'),
  invalid('a made-up cursor', { path: `${RESERVATIONS}?cursor=abc` }, 'cursor'),
  invalid('an unknown phase', { path: `${RESERVATIONS}?phase=Lost` }, 'phase'),
  invalid('an unknown role', { path: `${RESERVATIONS}?role=thief` }, 'role'),
  invalid('a release of nothing', { method: 'DELETE', path: RESERVATIONS }, 'requestId'),
]

const strangeNames = [
  { name: 'slashes', commonName: '../../etc/passwd' },
  { name: '300 characters', commonName: 'r'.repeat(300) },
  { name: 'capitals', commonName: 'Rome' },
  { name: 'a line break', commonName: 'rome\nadmin' },
]

describe('bad input', () => {
  let broker: TestBroker
  let rome: RawCaller
  let operator: RawCaller

  beforeAll(async () => {
    broker = await startBroker()
    rome = await broker.aRawCaller('rome')
    operator = await broker.aRawOperator()
    const paris = await broker.aRawCaller('paris')
    await paris.post(ADVERTISEMENTS, anAdvertisement('paris'))
    await rome.post(ADVERTISEMENTS, anAdvertisement('rome'))
    await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { requestId: 'job-7' }))
  })
  afterAll(() => broker?.dispose())

  it.each(rows)('answers $status to $name and changes nothing', async (row) => {
    const before = await books()

    const reply = await rome.send(row.asked)

    expect(reply, reply.text).toMatchObject({ status: row.status, json: { code: row.code } })
    expect(reply.headers['content-type']).toContain('application/problem+json')
    expect(reply.json.error).toBe(reply.json.detail)
    const fields = reply.json.fields?.map(({ path }: { path: string }) => path)
    expect(fields).toEqual(row.field === undefined ? undefined : [row.field])
    expect(await books()).toEqual(before)
  })

  it('answers 413 to ten megabytes, whether announced or not', async () => {
    const before = await books()
    const body = Buffer.alloc(10 * MEGABYTE, 'x')

    const announced = await rome.send({ method: 'POST', path: RESERVATIONS, body })
    const chunked = await rome.send({
      method: 'POST',
      path: RESERVATIONS,
      body,
      headers: { 'transfer-encoding': 'chunked' },
    })

    expect(announced).toMatchObject({ status: 413, json: { code: 'BodyTooLarge' } })
    expect(chunked).toMatchObject({ status: 413, json: { code: 'BodyTooLarge' } })
    expect(await books()).toEqual(before)
  })

  it('answers 422 to a known request id with another body', async () => {
    const before = await books()

    const reply = await rome.post(RESERVATIONS, aRequest({ cpu: '2' }, { requestId: 'job-7' }))

    expect(reply).toMatchObject({ status: 422, json: { code: 'RequestIdReused' } })
    expect(await books()).toEqual(before)
  })

  it('names every bad field at once', async () => {
    const reply = await rome.send(reserve({ cpu: '-1', memory: 'lots' }, { duration: '0s' }))

    const paths = reply.json.fields.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual([
      'duration',
      'requestedResources.cpu',
      'requestedResources.memory',
    ])
  })

  it('does not believe a well-formed reserved, available or a time in 2099', async () => {
    const body = anAdvertisement('rome', { cpu: '8' }, { timestamp: '2099-01-01T00:00:00Z' })
    const claims = { reserved: { cpu: '7' }, available: { cpu: '900' } }

    const reply = await rome.post(ADVERTISEMENTS, {
      ...body,
      resources: { ...body.resources, ...claims },
    })

    expect(reply.status).toBe(200)
    const { resources, timestamp } = reply.json.advertisement
    expect(resources).toMatchObject({ reserved: { cpu: '0' }, available: { cpu: '8' } })
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000)
  })

  it.each(strangeNames)('answers 403 to a certificate whose name has $name', async (strange) => {
    const { commonName } = strange
    const certPath = await broker.certificates.forLeaf(strange.name, {
      commonName,
      usages: ['client'],
    })
    const caller = createRawCaller({ url: broker.url, certPath })

    const reply = await caller.get('/api/v1/instructions')
    caller.close()

    expect(reply).toMatchObject({ status: 403, json: { code: 'InvalidIdentity' } })
  })

  it('lets nobody in without a certificate of its own authority that is in force', async () => {
    const { certificates, url } = broker
    const foreign = await makeTestCertificates()
    const leaf = { commonName: 'rome', usages: ['client'] as const }
    const own = await certificates.forCluster('rome')
    const expired = await certificates.forLeaf('expired', leaf, -5)
    const server = await certificates.forLeaf('not-a-client', { ...leaf, usages: ['server'] })
    const stranger = await foreign.forCluster('rome')
    const callers = [
      createRawCaller({ url, certPath: own, presents: false }),
      createRawCaller({ url, certPath: expired }),
      createRawCaller({ url, certPath: server }),
      createRawCaller({ url, certPath: stranger, authorityPath: own }),
    ]

    const answers = await Promise.allSettled(callers.map((one) => one.get('/api/v1/instructions')))
    for (const caller of callers) caller.close()
    foreign.dispose()

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'rejected'))
    expect(broker.logs()).toContain('TLS handshake refused')
  })

  it('stays small whatever comes, and writes down what helps and no secret', async () => {
    const headers = { authorization: `Bearer ${SECRET}` }
    const asked = { ...reserve({ cpu: '-1' }, { password: SECRET }), headers }
    const large = { ...advertise({ padding: SECRET.padEnd(2 * MEGABYTE, 'x') }), headers }
    await flood(200, asked)
    const before = residentMegabytes(broker.pid)

    await flood(3_000, asked)
    await flood(100, large)

    expect(residentMegabytes(broker.pid) - before).toBeLessThan(80)
    expect(broker.logs()).not.toContain(SECRET)
    expect(broker.logs()).not.toContain('PRIVATE KEY')
    const line = broker
      .logs()
      .split('\n')
      .find((one) => one.includes('requestedResources.cpu'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      caller: 'rome',
      code: 'InvalidRequest',
      status: 400,
    })
  })

  /** What a change would show in: every cluster and every reservation, but not who was heard when. */
  async function books() {
    const clusters = await operator.get(ADVERTISEMENTS)
    const reservations = await operator.get(`${RESERVATIONS}?phase=Reserved,Active,Released`)
    type Shown = { clusterID: string; resources: object; status: { changedAt: string } }
    return {
      clusters: clusters.json.items.map(({ clusterID, resources, status }: Shown) => ({
        clusterID,
        resources,
        changedAt: status.changedAt,
      })),
      reservations: reservations.json.items,
    }
  }

  async function flood(count: number, asked: RawRequest): Promise<void> {
    const SIDE_BY_SIDE = 20
    for (let sent = 0; sent < count; sent += SIDE_BY_SIDE)
      await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, () => rome.send(asked)))
  }
})

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
