import { describe, expect, it } from 'vitest'
import { anApi, apiPorts, aRate, LEDGER_ID } from '../../../fixtures/http/server/api.ts'
import { WriterUnavailable } from '../../ledger/writer/ledger-writer.ts'
import { StoreFault } from '../../store/port/store-errors.ts'

const json = { 'content-type': 'application/json' }

describe('what goes wrong', () => {
  it.each([
    {
      name: 'malformed JSON',
      payload: '{"a": oops}',
      headers: json,
      status: 400,
      code: 'MalformedJson',
    },
    { name: 'no body', payload: '', headers: json, status: 400, code: 'InvalidRequest' },
    {
      name: 'a body that is a list',
      payload: '[]',
      headers: json,
      status: 400,
      code: 'InvalidRequest',
    },
    {
      name: 'a body that is null',
      payload: 'null',
      headers: json,
      status: 400,
      code: 'InvalidRequest',
    },
    {
      name: 'XML',
      payload: '<a/>',
      headers: { 'content-type': 'text/xml' },
      status: 415,
      code: 'UnsupportedMediaType',
    },
    {
      name: 'plain text',
      payload: '{}',
      headers: { 'content-type': 'text/plain' },
      status: 415,
      code: 'UnsupportedMediaType',
    },
    {
      name: '10 MB',
      payload: `"${'x'.repeat(10_000_000)}"`,
      headers: json,
      status: 413,
      code: 'BodyTooLarge',
    },
  ])(
    '$name is a problem with its own code, and both headers',
    async ({ payload, headers, status, code }) => {
      const { call, writer } = await anApi()

      const reply = await call('rome', { method: 'POST', url: '/reservations', payload, headers })

      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ type: `urn:bourse:problem:${code}`, status, code })
      expect(reply.body.error).toBe(reply.body.detail)
      expect(reply.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'bourse-ledger': LEDGER_ID,
        'bourse-index': '0',
      })
      expect(writer.index()).toBe(0)
    },
  )

  it('says where JSON is malformed', async () => {
    const { call } = await anApi()

    const { body } = await call('rome', {
      method: 'POST',
      url: '/reservations',
      payload: '{"a": oops}',
      headers: json,
    })

    expect(body.detail).toContain("Unexpected token 'o'")
  })

  it('an unknown address is a 404 with both headers', async () => {
    const { get } = await anApi()

    const { status, body, headers } = await get('rome', '/nowhere?x=1')

    expect(status).toBe(404)
    expect(body).toMatchObject({
      code: 'RouteNotFound',
      detail: 'There is nothing at /api/v1/nowhere.',
    })
    expect(headers).toMatchObject({ 'bourse-ledger': LEDGER_ID, 'bourse-index': '0' })
  })

  it.each([
    'PUT',
    // Of this one fastify expects a body before it looks for a route.
    'QUERY',
  ] as const)(
    '%s, which an address does not take, is a 405 that says what it takes',
    async (method) => {
      const { call } = await anApi()

      const { status, headers } = await call('rome', {
        method: method as 'PUT',
        url: '/reservations',
      })

      expect(status).toBe(405)
      expect(headers.allow).toBe('POST, GET, DELETE')
    },
  )

  it('a writer that cannot commit is a 503 that says when to come back', async () => {
    const { ports } = await apiPorts()
    const submit = () => Promise.reject(new WriterUnavailable('The disk is full.', 3))
    const { post, lines } = await anApi({ writer: { ...ports.writer, submit } })

    const { status, body, headers } = await post('rome', '/reservations', {
      requestedResources: { cpu: '1' },
    })

    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'Unavailable', detail: 'The disk is full.' })
    expect(headers['retry-after']).toBe('3')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: 'The disk is full.' })
  })

  it.each([
    { trouble: 'refused' as const, status: 503, retryAfter: '1' },
    { trouble: 'bug' as const, status: 500, retryAfter: undefined },
  ])('a store that says "$trouble" is a $status', async ({ trouble, status, retryAfter }) => {
    const { ports } = await apiPorts()
    const fault = new StoreFault({ message: 'Too many questions wait.', trouble })
    const ended = () => Promise.reject(fault)
    const { get } = await anApi({ history: { ...ports.history, ended } })

    const reply = await get('rome', '/reservations/rsv-1')

    expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter])
  })

  it('a bug is a 500 that tells the caller nothing and the log everything', async () => {
    const audit = () => {
      throw new Error('secret detail')
    }
    const { get, lines } = await anApi({ audit })

    const { status, body } = await get('operator', '/audit')

    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 50,
      err: { message: 'secret detail' },
    })
  })
})

describe('who may ask', () => {
  it('is decided live by the deny list', async () => {
    const { get, admission } = await anApi()
    const before = await get('rome', '/instructions')

    admission.current = { deny: new Set(['rome']) }
    const after = await get('rome', '/instructions')

    expect([before.status, after.status]).toEqual([200, 403])
    expect(after.body).toMatchObject({ code: 'ClusterDenied', detail: 'rome is on the deny list.' })
  })

  it('is decided by the allow list, which operators need not be on', async () => {
    const { get, admission } = await anApi()
    admission.current = { allow: new Set(['paris']), deny: new Set() }

    const replies = await Promise.all(
      ['paris', 'rome', 'operator'].map((as) => get(as, '/instructions')),
    )

    expect(replies.map(({ status }) => status)).toEqual([200, 403, 200])
  })

  it('is slowed down beyond its share, alone, and told for how long', async () => {
    const { get, lines } = await anApi(aRate({ perSecond: 0.1, burst: 2 }))
    await get('rome', '/instructions')
    await get('rome', '/instructions')

    const third = await get('rome', '/instructions')
    await get('rome', '/instructions')
    const other = await get('paris', '/instructions')

    expect([third.status, other.status]).toEqual([429, 200])
    expect(third.headers['retry-after']).toBe('10')
    expect(lines).toHaveLength(1)
  })

  it('is noted as a sign of life once in a few seconds, and not for operators', async () => {
    const { get, heard, clock } = await anApi()
    await get('rome', '/instructions')
    await get('rome', '/instructions')
    await get('operator', '/instructions')
    clock.at += 6_000

    await get('rome', '/instructions')

    expect(heard).toEqual(['rome', 'rome'])
  })
})

describe('operation', () => {
  it('shows the audit to operators', async () => {
    const { get } = await anApi()

    const operator = await get('operator', '/audit')
    const cluster = await get('rome', '/audit')

    expect(operator.body).toMatchObject({
      state: 'consistent',
      checkedAt: '2026-11-01T12:00:00.000Z',
    })
    expect(cluster.status).toBe(403)
  })

  it('serves OpenAPI 3.1 and says that it is there', async () => {
    const { get } = await anApi()

    const document = await get('rome', '/openapi.json')
    const health = await get('', '/healthz')

    expect(document.body.openapi).toBe('3.1.0')
    expect(health.body).toEqual({ status: 'ok' })
  })

  it('tells the broker’s time in the Date header', async () => {
    const { get } = await anApi()

    const { headers } = await get('rome', '/instructions')

    expect(headers.date).toBe('Sun, 01 Nov 2026 12:00:00 GMT')
  })

  it('measures each answer for the metrics', async () => {
    const answers: object[] = []
    const { get } = await anApi({ answered: (answer) => answers.push(answer) })

    await get('rome', '/reservations/rsv-1')

    expect(answers).toMatchObject([
      { method: 'GET', route: '/api/v1/reservations/:id', status: 404 },
    ])
  })
})
