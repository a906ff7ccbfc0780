import { describe, expect, it, vi } from 'vitest'
import { advertisement, apiPorts, aRate, LEDGER_ID, settings } from '../http/api.fixture.ts'
import type { Caller } from '../http/caller.ts'
import type { ApiPorts } from '../http/create-api.ts'
import { createRelay } from './create-relay.ts'

const caller = (id: string) => (): Caller => ({ id, isOperator: false })
const NEVER = new AbortController().signal

async function aRelay(given: Partial<ApiPorts> = {}) {
  const parts = await apiPorts(given)
  const relay = await createRelay(parts.ports, settings)
  const post = (as: string, path: string, body: object) =>
    relay.ask(caller(as), { method: 'POST', path, body: JSON.stringify(body) })
  return { ...parts, relay, post }
}

describe('the relay', () => {
  it('answers as the REST API does, and says so', async () => {
    const { post } = await aRelay()

    const answer = await post('paris', '/advertisements', advertisement('paris'))

    expect(answer).toMatchObject({
      status: 200,
      headers: {
        ...{ 'bourse-ledger': LEDGER_ID, 'bourse-index': '1', 'bourse-term': 'term-1' },
        date: expect.any(String),
      },
    })
    expect(JSON.parse(answer.body)).toMatchObject({ advertisement: { clusterID: 'paris' } })
  })

  it('believes the door about who calls, and nobody else', async () => {
    const { post } = await aRelay()

    const lie = await post('liar', '/advertisements', advertisement('victim'))

    expect(lie.status).toBe(403)
    expect(JSON.parse(lie.body)).toMatchObject({ code: 'NotYours' })
  })

  it('asks the lists of clusters and the limit of rates, too', async () => {
    const { relay, admission } = await aRelay(aRate({ perSecond: 1, burst: 1 }))
    const ask = () => relay.ask(caller('rome'), { method: 'GET', path: '/instructions' })

    await ask()
    const hasty = await ask()
    admission.current = { deny: new Set(['rome']) }
    const denied = await ask()

    expect([hasty.status, hasty.headers['retry-after']]).toEqual([429, '1'])
    expect(denied.status).toBe(403)
  })

  it('counts what a cluster calls at any door as one rate', async () => {
    const { relay, ports } = await aRelay(aRate({ perSecond: 0.1, burst: 2 }))
    const beside = await createRelay(ports, settings)
    const call = { method: 'GET', path: '/instructions' } as const

    const here = await relay.ask(caller('rome'), call)
    const there = await beside.ask(caller('rome'), call)
    const hasty = await relay.ask(caller('rome'), call)
    const other = await beside.ask(caller('paris'), call)

    expect([here, there, hasty, other].map(({ status }) => status)).toEqual([200, 200, 429, 200])
  })

  it.each([
    { method: 'GET', path: '/events' },
    { method: 'GET', path: '/events?after=3' },
    { method: 'PATCH', path: '/reservations' },
    { method: 'GET', path: 'instructions' },
  ])('does not carry $method $path', async (call) => {
    const { relay } = await aRelay()

    // A foreign client may send any method.
    const answer = await relay.ask(caller('rome'), call as Parameters<typeof relay.ask>[1])

    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'RouteNotFound' })
  })

  it('watches: at once, whenever it differs, and no longer when it is told to end', async () => {
    const { relay, post } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const watching = relay.watch(caller('paris'), { method: 'GET', path: '/instructions' }, NEVER)

    const first = await watching.next()
    const second = watching.next()
    await post('rome', '/reservations', { requestedResources: { cpu: '2' } })
    const told = await second
    const last = watching.next()
    relay.endWatches()

    expect(JSON.parse(first.value?.body ?? '')).toEqual([])
    expect(JSON.parse(told.value?.body ?? '')).toMatchObject([{ requesterID: 'rome' }])
    expect(await last).toEqual({ done: true, value: undefined })
  })

  it('watches no command, which would be carried out again and again', async () => {
    const { relay, post, ports } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const before = ports.writer.index()
    const body = JSON.stringify({ requestedResources: { cpu: '1' } })
    const call = { method: 'POST', path: '/reservations', body } as const

    const watching = relay.watch(caller('rome'), call, NEVER)

    expect((await watching.next()).value).toMatchObject({ status: 405 })
    expect((await watching.next()).done).toBe(true)
    expect(ports.writer.index()).toBe(before)
  })

  it('tells nothing more to a cluster that is denied while it watches', async () => {
    const { relay, post, admission } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const watching = relay.watch(caller('paris'), { method: 'GET', path: '/instructions' }, NEVER)

    await watching.next()
    const told = watching.next()
    await vi.waitFor(() => expect(relay.waiting()).toBe(1))
    admission.current = { deny: new Set(['paris']) }
    await post('rome', '/reservations', { requestedResources: { cpu: '2' } })

    expect((await told).value).toMatchObject({ status: 403 })
    expect((await watching.next()).done).toBe(true)
  })
})
