import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

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

  it.each([
    { what: 'memory', requestedResources: { memory: '4Gi' } },
    { what: 'GPUs', requestedResources: { gpu: '1' } },
  ])('takes a request for $what alone', async ({ requestedResources }) => {
    const { post, advertise } = await anApi()
    await advertise('paris', { resources: { capacity: { cpu: '0', memory: '8Gi', gpu: '2' } } })

    const { status, body } = await post('rome', '/reservations', { requestedResources })

    expect(status).toBe(201)
    expect(body).toMatchObject({ requestedResources, targetClusterID: 'paris' })
  })

  it('says where no node has as much, and with oneNode refuses what no node could take', async () => {
    const { post, get, advertise } = await anApi()
    const gpus = { capacity: { cpu: '64', memory: '64Gi', gpu: '24' }, allocated: {} }
    const spread = { resources: gpus, largestFit: { cpu: '8', gpu: '4' }, visibility: 'full' }
    await advertise('paris', spread)
    const ask = (more: object) =>
      post('rome', '/reservations', { requestedResources: { gpu: '8' }, ...more })

    const refused = await ask({ oneNode: true })
    const granted = await ask({})
    const small = await ask({ requestedResources: { cpu: '8' }, oneNode: true })

    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      detail:
        'No cluster can hold 8 gpu on one node for rome: ' +
        'paris has 24 GPUs free, and no node with 8 at once',
      explanation: { refused: { NoNodeFits: 1 } },
    })
    const warning = 'largest free node: 4 GPUs'
    expect(granted.status).toBe(201)
    expect(granted.body).toMatchObject({
      largestNode: { gpu: '4' },
      status: { message: `Reserved on paris; ${warning}` },
    })
    expect(small.body).toMatchObject({ oneNode: true, status: { message: 'Reserved on paris' } })
    const why = await get('rome', `/reservations/${granted.body.id}/explanation`)
    expect(why.body.summary).toContain(`; ${warning}.`)
  })

  it('says that a node is about as large where its cluster hides its numbers', async () => {
    const { post, advertise } = await anApi()
    await advertise('paris', { largestFit: { cpu: '3.5' }, visibility: 'summary' })

    const { body } = await post('rome', '/reservations', { requestedResources: { cpu: '4' } })

    expect(body).toMatchObject({
      largestNode: { cpu: '3' },
      status: { message: 'Reserved on paris; largest free node: about 3 CPU' },
    })
  })

  it('counts a node as taken by what was granted since, until its agent has seen that', async () => {
    const { post, advertise } = await anApi()
    await advertise('paris', { largestFit: { cpu: '4' }, seenIndex: 0 })
    const ask = async () => {
      const body = { requestedResources: { cpu: '3' }, oneNode: true }
      const { status, headers } = await post('rome', '/reservations', body)
      return [status, Number(headers['bourse-index'])]
    }

    const [first, index = 0] = await ask()
    const [second] = await ask()
    await advertise('paris', { largestFit: { cpu: '4' }, seenIndex: index - 1 })
    const [unseen] = await ask()
    await advertise('paris', { largestFit: { cpu: '4' }, seenIndex: index })
    const [seen] = await ask()

    expect([first, second, unseen, seen]).toEqual([201, 409, 409, 201])
  })

  it('finds the same reservation for the same request id, however its amounts are spelled', async () => {
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

  it('lets a priority count as --max-priority at most, and says so, but to operators fully', async () => {
    const { post, advertise } = await anApi({}, { maxPriority: 100 })
    await advertise('paris')
    const ask = (as: string, priority: number, requestId: string) =>
      post(as, '/reservations', {
        ...request,
        requestedResources: { cpu: '1' },
        priority,
        requestId,
        ...(as === 'operator' && { requesterID: 'rome' }),
      })

    const modest = await ask('rome', 100, 'job-1')
    const greedy = await ask('rome', 5_000, 'job-2')
    const again = await ask('rome', 5_000, 'job-2')
    const less = await ask('rome', 101, 'job-2')
    const trusted = await ask('operator', 5_000, 'job-3')

    const note = 'priority 5000 counts as 100, the most that --max-priority allows here'
    expect(modest.body).toMatchObject({ priority: 100, status: { message: 'Reserved on paris' } })
    for (const { body } of [greedy, again])
      expect(body).toMatchObject({
        priority: 100,
        status: { message: `Reserved on paris; ${note}` },
      })
    expect([greedy.status, again.status, less.status]).toEqual([201, 200, 422])
    expect(trusted.body).toMatchObject({ priority: 5_000 })
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
