import { afterEach, describe, expect, it, vi } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const request = { requestedResources: { cpu: '1' } }
/** As much as an advertisement may name: its event is 6 kB. */
const devices = Object.fromEntries(
  Array.from({ length: 64 }, (_, at) => [`xxxxxxx.example.com/device-${at}`, '1']),
)
const large = { resources: { capacity: devices, allocatable: devices, allocated: {} } }
const manyClusters = Array.from({ length: 300 }, (_, at) => `cluster-${at}`)
const streams: AbortController[] = []

afterEach(() => {
  for (const stream of streams.splice(0)) stream.abort()
  vi.useRealTimers()
})

async function aMarket(parts: Parameters<typeof anApi>[0] = {}) {
  const api = await anApi(parts)
  const address = await api.server.listen({ port: 0, host: '127.0.0.1' })

  /** Reads the stream until some text has come. */
  async function stream(as: string, until: string, lastEventId = '', query = ''): Promise<string> {
    const abort = new AbortController()
    streams.push(abort)
    const reply = await fetch(`${address}/api/v1/events${query}`, {
      headers: { 'x-caller': as, ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal: abort.signal,
    })
    opened.resolve()
    open++
    let text = ''
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes(until)) break
    }
    return text
  }
  const opened = Promise.withResolvers<void>()
  let open = 0
  return { ...api, stream, opened: opened.promise, open: () => open }
}

describe('GET /events', () => {
  it('tells a requester of its own reservation, with the index as id', async () => {
    const { stream, opened, advertise, post } = await aMarket()

    const text = stream('rome', 'id: 2')
    await opened
    await advertise('paris')
    await post('rome', '/reservations', request)

    expect(await text).toMatch(/event: reservation\ndata: \{"kind":"reservation".*\}\nid: 2\n\n/)
    expect(await text).not.toContain('"kind":"cluster"')
  })

  it('counts as an answer when it begins', async () => {
    const answers: object[] = []
    const { stream, opened } = await aMarket({ answered: (answer) => answers.push(answer) })

    void stream('rome', 'never said').catch(() => {})
    await opened

    expect(answers).toMatchObject([{ method: 'GET', route: '/api/v1/events', status: 200 }])
  })

  it('counts as a wait until its reader has left', async () => {
    const { stream, opened, api } = await aMarket()

    void stream('rome', 'never said').catch(() => {})
    await opened

    expect(api.waiting()).toBe(1)
    for (const one of streams) one.abort()
    await expect.poll(api.waiting).toBe(0)
  })

  it('tells its provider, too, but only operators why it was chosen', async () => {
    const { stream, open, advertise, post } = await aMarket()

    const seen = ['rome', 'paris', 'operator'].map((who) => stream(who, 'id: 2'))
    await expect.poll(open).toBe(3)
    await advertise('paris')
    await post('rome', '/reservations', request)

    const [rome, paris, operator] = await Promise.all(seen)
    expect(paris).toMatch(/"change":"reserved".*"targetClusterID":"paris"/)
    expect(paris).not.toContain('"decision"')
    expect(rome).not.toContain('"decision"')
    expect(operator).toContain('"decision"')
  })

  it('ends within a heartbeat for a cluster that is denied meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const { stream, open, admission, advertise } = await aMarket()
    const rome = stream('rome', 'never said')
    const paris = stream('paris', 'id: 1')
    await expect.poll(open).toBe(2)
    admission.current = { deny: new Set(['rome']) }

    vi.advanceTimersByTime(15_000)

    expect(await rome).toBe(':\n\n')
    await advertise('paris')
    expect(await paris).toContain('"kind":"cluster"')
  })

  it('tells a cluster that is denied meanwhile nothing more, and ends instead', async () => {
    const { stream, open, admission, advertise, post } = await aMarket()
    await advertise('paris')
    const paris = stream('paris', 'id: 2')
    const rome = stream('rome', 'id: 3')
    await expect.poll(open).toBe(2)
    admission.current = { deny: new Set(['paris']) }

    await post('rome', '/reservations', request)
    await post('rome', '/reservations', request)

    expect(await paris).toBe(':\n\n')
    expect(await rome).toContain('"targetClusterID":"paris"')
  })

  it('writes nothing to a stream that has ended but is not closed yet', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const { stream, opened, api } = await aMarket()
    const rome = stream('rome', 'never said')
    await opened

    api.endWaits({ closing: false })
    // Node throws such a write at the process: vitest would tell.
    vi.advanceTimersByTime(15_000)

    expect(await rome).toBe(':\n\n')
  })

  it('begins with the last events of its reader, advertisements not counted', async () => {
    const { stream, advertise, post } = await aMarket()
    await advertise('paris')
    for (let nth = 0; nth < 3; nth += 1) await post('rome', '/reservations', request)
    await advertise('paris', { clusterName: 'Paris' })
    await post('athens', '/reservations', request)

    const rome = await stream('rome', 'id: 4', '', '?last=2')
    const operator = await stream('operator', 'id: 6', '', '?last=2')

    expect(rome.match(/^id: \d/gm)).toEqual(['id: 3', 'id: 4'])
    expect(operator.match(/^id: \d/gm)).toEqual(['id: 4', 'id: 5', 'id: 6'])
  })

  it.each(['0', '1001', 'x', '-1'])('takes no %s for a number of events', async (last) => {
    const { get } = await anApi()

    const { status, body } = await get('rome', `/events?last=${last}`)

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path: 'last' }])
  })

  it('tells operators of everything', async () => {
    const { stream, opened, advertise } = await aMarket()

    const text = stream('operator', 'id: 1')
    await opened
    await advertise('paris')

    expect(await text).toContain('"change":"advertised"')
  })

  it('tells both sides of a peering what happens in it, without what is sealed', async () => {
    const { stream, opened, advertise, post, put } = await aMarket()
    await advertise('paris')
    await post('rome', '/reservations', request)
    const id = `ps-${'a'.repeat(26)}`

    const text = stream('paris', 'id: 6')
    await opened
    await put('rome', `/peerings/${id}`, { providerID: 'paris', networking: 'none', hello: 'HUSH' })
    await post('paris', `/peerings/${id}/messages`, { step: 'nonce', sealed: 'HUSH' })
    await post('paris', `/peerings/${id}/trouble`, { reason: 'NoRoute', message: '' })
    await post('rome', `/peerings/${id}/messages`, { step: 'goodbye', sealed: 'HUSH' })

    const events = [...(await text).matchAll(/^data: (.*)$/gm)].map(([, line = '']) =>
      JSON.parse(line),
    )
    const pair = { kind: 'peering', id, requesterID: 'rome', providerID: 'paris' }
    expect(events).toMatchObject([
      { ...pair, change: 'opened', index: 3 },
      { ...pair, change: 'posted', step: 'nonce' },
      { ...pair, change: 'stuck', reason: 'NoRoute' },
      { ...pair, change: 'posted', step: 'goodbye' },
    ])
    expect(await text).not.toContain('HUSH')
  })

  it('resumes after the last id, missing nothing', async () => {
    const { stream, advertise, post } = await aMarket()
    await advertise('paris')
    await post('rome', '/reservations', request)
    await post('rome', '/reservations', request)

    const text = await stream('rome', 'id: 3', '2')

    expect(text).not.toContain('id: 2')
  })

  it('resumes from long ago, though that is more than a socket takes at once', async () => {
    const { stream, advertise } = await aMarket()
    for (const name of manyClusters) await advertise(name, large)

    const text = await stream('operator', 'id: 300', '', '?after=0')

    expect(text.match(/^id: \d+$/gm)).toEqual(manyClusters.map((_, at) => `id: ${at + 1}`))
  })

  it('tells of a commit that is more than a socket takes at once', async () => {
    const { stream, opened, advertise } = await aMarket()
    const text = stream('operator', '"clusterID":"paris"')
    await opened

    await Promise.all(manyClusters.map((name) => advertise(name, large)))
    await advertise('paris')

    expect((await text).match(/"clusterID":"cluster-/g)).toHaveLength(300)
  })

  it('says reset to an id that it has not come to', async () => {
    const { stream } = await aMarket()

    const text = await stream('rome', 'id: 0', '999')

    expect(text).toContain('event: reset')
    expect(text).toContain('The ledger is at index 0, before 999')
  })

  it('continues after an index in the address, and after a later one in the header', async () => {
    const { stream, advertise, post } = await aMarket()
    await advertise('paris')
    await post('rome', '/reservations', request)
    await post('rome', '/reservations', request)

    const first = await stream('rome', 'id: 3', '', '?after=1')
    const again = await stream('rome', 'id: 3', '2', '?after=1')

    expect(first).toContain('id: 2')
    expect(again).not.toContain('id: 2')
  })

  it('ends politely when the broker drains', async () => {
    const { stream, opened, api } = await aMarket()

    const text = stream('rome', 'never said')
    await opened
    api.endWaits({ closing: true })

    expect(await text).toContain(':\n\n')
  })

  it.each([
    { path: 'Last-Event-ID', url: '/events', headers: { 'last-event-id': 'x' } },
    { path: 'after', url: '/events?after=x', headers: {} },
    { path: 'after', url: '/events?after=', headers: {} },
  ])('refuses what is no index in $path', async ({ path, url, headers }) => {
    const { call } = await aMarket()

    const { status, body } = await call('rome', { method: 'GET', url, headers })

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path }])
  })
})
