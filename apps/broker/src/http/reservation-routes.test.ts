import { describe, expect, it } from 'vitest'
import { anApi } from './api.fixture.ts'

const request = { requestedResources: { cpu: '3', memory: '4Gi' } }

async function aMarket() {
  const api = await anApi()
  await api.advertise('paris', { endpointURL: 'https://paris.example:6443' })
  return api
}

describe('POST /reservations', () => {
  it('reserves on the best provider and answers 201 as the Go original does', async () => {
    const { post } = await aMarket()

    const { status, body, headers } = await post('rome', '/reservations', {
      ...request,
      duration: '1h30m',
      priority: 10,
    })

    expect(status).toBe(201)
    expect(body).toMatchObject({
      requesterID: 'rome',
      targetClusterID: 'paris',
      requestedResources: { cpu: '3', memory: '4Gi' },
      status: {
        phase: 'Reserved',
        message: 'Reserved on paris',
        reservedAt: '2026-11-01T12:00:00.000Z',
        expiresAt: '2026-11-01T13:30:00.000Z',
      },
      createdAt: '2026-11-01T12:00:00.000Z',
      priority: 10,
      endpointURL: 'https://paris.example:6443',
    })
    expect(headers['bourse-index']).toBe('2')
  })

  it('finds the same reservation for the same request id, whatever the spelling', async () => {
    const { post } = await aMarket()
    const first = await post('rome', '/reservations', {
      requestedResources: { cpu: '1' },
      requestId: 'job-7',
    })

    const again = await post('rome', '/reservations', {
      requestedResources: { cpu: '1000m', gpu: '' },
      requestId: 'job-7',
    })

    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body.id).toBe(first.body.id)
  })

  it('takes the request id from the header Idempotency-Key', async () => {
    const { call } = await aMarket()
    const ask = () =>
      call('rome', {
        method: 'POST',
        url: '/reservations',
        payload: request,
        headers: { 'idempotency-key': 'job-8' },
      })

    const statuses = [(await ask()).status, (await ask()).status]

    expect(statuses).toEqual([201, 200])
  })

  it('refuses a request id that was used for another body', async () => {
    const { post } = await aMarket()
    await post('rome', '/reservations', { ...request, requestId: 'job-7' })

    const { status, body } = await post('rome', '/reservations', {
      ...request,
      priority: 1,
      requestId: 'job-7',
    })

    expect(status).toBe(422)
    expect(body.code).toBe('RequestIdReused')
    expect(body.detail).toMatch(/^The request id job-7 was used for another request/)
    expect(body.fields).toEqual([
      { path: 'requestId', message: expect.stringContaining('was used for another request') },
    ])
  })

  it.each([
    { name: 'was used for another body', key: 'job-7', status: 422 },
    { name: 'is too long', key: 'x'.repeat(200), status: 400 },
  ])('names the header when the request id in it $name', async ({ key, status }) => {
    const { call, post } = await aMarket()
    await post('rome', '/reservations', { ...request, requestId: 'job-7' })

    const reply = await call('rome', {
      method: 'POST',
      url: '/reservations',
      payload: { ...request, priority: 1 },
      headers: { 'idempotency-key': key },
    })

    expect(reply.status).toBe(status)
    expect(reply.body.fields).toMatchObject([{ path: 'Idempotency-Key' }])
  })

  it('keeps the request ids of two requesters apart', async () => {
    const { post } = await aMarket()
    const ours = await post('rome', '/reservations', { ...request, requestId: 'job-7' })

    const theirs = await post('oslo', '/reservations', { ...request, requestId: 'job-7' })

    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(ours.body.id)
  })

  it('says what is missing where when nothing fits, without the numbers of others', async () => {
    const { post, writer } = await aMarket()

    const { status, body } = await post('rome', '/reservations', {
      requestedResources: { cpu: '20' },
    })

    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'NoClusterFits',
      detail:
        'No cluster can hold 20 cpu for rome (insufficient capacity): paris has too little cpu',
      explanation: {
        refused: { Insufficient: 1 },
        rows: [{ clusterID: 'paris', verdict: 'refused' }],
      },
    })
    expect(body.explanation.rows[0]).not.toHaveProperty('available')
    expect(writer.index()).toBe(1)
  })

  it('tells the numbers of a provider that shows them to all', async () => {
    const { post, advertise } = await aMarket()
    await advertise('paris', { visibility: 'full' })

    const { body } = await post('rome', '/reservations', { requestedResources: { cpu: '20' } })

    expect(body.detail).toContain('paris has 10 cpu')
    expect(body.explanation.rows[0].available).toMatchObject({ cpu: '10' })
  })

  it('reserves for another only at an operator’s word', async () => {
    const { post } = await aMarket()
    const onBehalf = { ...request, requesterID: 'oslo' }

    const operator = await post('operator', '/reservations', onBehalf)
    const stranger = await post('rome', '/reservations', onBehalf)

    expect(operator.body.requesterID).toBe('oslo')
    expect([operator.status, stranger.status]).toEqual([201, 403])
  })

  it('insists on a pinned provider', async () => {
    const { post, advertise } = await aMarket()
    await advertise('berlin')

    const { body } = await post('rome', '/reservations', { ...request, targetClusterID: 'berlin' })

    expect(body).toMatchObject({ targetClusterID: 'berlin', pinned: true })
  })

  it('ignores fields it does not know', async () => {
    const { post } = await aMarket()

    const { status } = await post('rome', '/reservations', { ...request, flavour: 'spot' })

    expect(status).toBe(201)
  })

  it.each([
    {
      name: 'a negative quantity',
      body: { requestedResources: { cpu: '-1' } },
      path: 'requestedResources.cpu',
    },
    { name: 'junk', body: { requestedResources: { cpu: 'many' } }, path: 'requestedResources.cpu' },
    { name: 'nothing', body: { requestedResources: {} }, path: 'requestedResources' },
    { name: 'only zeros', body: { requestedResources: { cpu: '0' } }, path: 'requestedResources' },
    {
      name: 'half a GPU',
      body: { requestedResources: { gpu: '0.5' } },
      path: 'requestedResources.gpu',
    },
    {
      name: 'a resource of no name',
      body: { requestedResources: { 'a b': '1' } },
      path: 'requestedResources["a b"]',
    },
    {
      name: '2^63 bytes',
      body: { requestedResources: { memory: '9223372036854775808' } },
      path: 'requestedResources.memory',
    },
    { name: 'no resources', body: {}, path: 'requestedResources' },
    {
      name: 'gpu and nvidia.com/gpu that disagree',
      body: { requestedResources: { gpu: '1', 'nvidia.com/gpu': '2' } },
      path: 'requestedResources["nvidia.com/gpu"]',
    },
    { name: 'duration -1h', body: { ...request, duration: '-1h' }, path: 'duration' },
    { name: 'duration 0s', body: { ...request, duration: '0s' }, path: 'duration' },
    { name: 'duration 1y', body: { ...request, duration: '1y' }, path: 'duration' },
    { name: 'more than --max-duration', body: { ...request, duration: '721h' }, path: 'duration' },
    { name: 'a priority of 1.5', body: { ...request, priority: 1.5 }, path: 'priority' },
    {
      name: 'a priority beyond 32 bits',
      body: { ...request, priority: 2 ** 31 },
      path: 'priority',
    },
    {
      name: 'a target that is no cluster id',
      body: { ...request, targetClusterID: 'Paris!' },
      path: 'targetClusterID',
    },
    { name: 'a queue before there is one', body: { ...request, queue: true }, path: 'queue' },
    {
      name: 'a request id of 129 characters',
      body: { ...request, requestId: 'x'.repeat(129) },
      path: 'requestId',
    },
    {
      name: 'a request id with a line break',
      body: { ...request, requestId: 'a\nb' },
      path: 'requestId',
    },
  ])('refuses $name and names the field', async ({ body: payload, path }) => {
    const { post, writer } = await aMarket()

    const { status, body } = await post('rome', '/reservations', payload)

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path }])
    expect(writer.index()).toBe(1)
  })

  it('refuses a request id and a header that differ', async () => {
    const { call } = await aMarket()

    const { status, body } = await call('rome', {
      method: 'POST',
      url: '/reservations',
      payload: { ...request, requestId: 'a' },
      headers: { 'idempotency-key': 'b' },
    })

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path: 'requestId' }])
  })

  it('lets a reservation last --default-duration where none is asked for', async () => {
    const { advertise, post } = await anApi({}, { defaultDurationMs: 60_000 })
    await advertise('paris')

    const { body } = await post('rome', '/reservations', request)

    expect(body.status.expiresAt).toBe('2026-11-01T12:01:00.000Z')
  })
})

describe('what a requester does with its reservation', () => {
  async function aReservation() {
    const api = await aMarket()
    const { body } = await api.post('rome', '/reservations', { ...request, requestId: 'job-7' })
    return { ...api, id: body.id as string }
  }

  it('releases it, and again without harm', async () => {
    const { remove, id } = await aReservation()

    const first = await remove('rome', `/reservations/${id}`)
    const again = await remove('rome', `/reservations/${id}`)

    expect(first.body.status).toMatchObject({ phase: 'Released', reason: 'Released' })
    expect([first.status, again.status]).toEqual([200, 200])
  })

  it('releases by request id, and a late POST is refused', async () => {
    const { remove, post } = await aReservation()

    const released = await remove('rome', '/reservations?requestId=job-7')
    const early = await remove('rome', '/reservations?requestId=job-9')
    const late = await post('rome', '/reservations', { ...request, requestId: 'job-9' })

    expect(released.body.status.phase).toBe('Released')
    expect(early.status).toBe(204)
    expect(late.status).toBe(409)
    expect(late.body.code).toBe('RequestReleased')
  })

  it('refuses a late POST also of a reservation that had ended before', async () => {
    const { remove, post, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const released = await remove('rome', '/reservations?requestId=job-7')
    const late = await post('rome', '/reservations', { ...request, requestId: 'job-7' })
    const again = await remove('rome', '/reservations?requestId=job-7')

    expect([released.status, released.body.id]).toEqual([200, id])
    expect(late.body.code).toBe('RequestReleased')
    expect([again.status, again.body.id]).toEqual([200, id])
  })

  it('refuses a late POST of a request that was granted and released by its id', async () => {
    const { advertise, post, remove, get } = await anApi()
    await advertise('paris')
    const asked = { requestedResources: { cpu: '4' }, requestId: 'job-7' }
    const { body: granted } = await post('rome', '/reservations', asked)
    await remove('rome', '/reservations?requestId=job-7')

    const late = await post('rome', '/reservations', asked)
    const again = await remove('rome', '/reservations?requestId=job-7')

    expect(late.status).toBe(409)
    expect(late.body.code).toBe('RequestReleased')
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ id: granted.id, status: { phase: 'Released' } })
    const { body: paris } = await get('paris', '/advertisements/paris')
    expect(paris.resources.available.cpu).toBe('10')
  })

  it('activates and renews it', async () => {
    const { post, id } = await aReservation()

    const active = await post('rome', `/reservations/${id}/activate`)
    const renewed = await post('rome', `/reservations/${id}/renew`, { duration: '2h' })

    expect(active.body.status.phase).toBe('Active')
    expect(renewed.body.status.expiresAt).toBe('2026-11-01T14:00:00.000Z')
  })

  it('cannot activate or renew what has ended', async () => {
    const { post, remove, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const activate = await post('rome', `/reservations/${id}/activate`)
    const renew = await post('rome', `/reservations/${id}/renew`, { duration: '2h' })

    expect([activate.status, renew.status]).toEqual([409, 409])
    expect(activate.body.code).toBe('WrongPhase')
  })

  it.each([
    { name: 'its provider may look but not release', as: 'paris', read: 200, release: 403 },
    { name: 'to a stranger it does not exist', as: 'oslo', read: 404, release: 404 },
    { name: 'an operator may do both', as: 'operator', read: 200, release: 200 },
  ])('$name', async ({ as, read, release }) => {
    const { get, remove, id } = await aReservation()

    const looked = await get(as, `/reservations/${id}`)
    const removed = await remove(as, `/reservations/${id}`)

    expect([looked.status, removed.status]).toEqual([read, release])
  })

  it('is told which phase it is in after it ended', async () => {
    const { get, remove, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const { body } = await get('rome', `/reservations/${id}`)

    expect(body).toMatchObject({ id, status: { phase: 'Released' }, reason: 'Released' })
  })

  it.each([
    { name: 'no duration', payload: {}, path: 'duration' },
    { name: 'duration 0s', payload: { duration: '0s' }, path: 'duration' },
  ])('cannot renew with $name', async ({ payload, path }) => {
    const { post, id } = await aReservation()

    const { status, body } = await post('rome', `/reservations/${id}/renew`, payload)

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path }])
  })
})

describe('the log', () => {
  it('has one line for a decision and none for a heartbeat', async () => {
    const { advertise, post, lines } = await aMarket()
    await advertise('paris')

    await post('rome', '/reservations', request)

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'reserved', requester: 'rome', target: 'paris' },
    ])
  })

  it('has one line for a refusal, with who, what and why', async () => {
    const { post, lines } = await aMarket()

    await post('rome', '/reservations', { requestedResources: { cpu: '20' } })

    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { caller: 'rome', code: 'NoClusterFits', path: '/api/v1/reservations', status: 409 },
    ])
  })
})
