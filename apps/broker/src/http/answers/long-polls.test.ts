import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'
import { createChangeFeed } from '../../after-commit/change-feed.ts'
import { createLongPolls, OPEN_PER_CALLER_MAX } from './long-polls.ts'

function somePolls() {
  const polls = createLongPolls({
    feed: createChangeFeed(10),
    index: () => 10,
    identify: ({ caller }) => caller ?? { id: '', isOperator: false },
    isWelcome: () => true,
    charging: { park() {}, unpark: () => undefined },
  })
  // A poll only listens for the client's going away.
  const response = new EventEmitter() as ServerResponse
  const ask = (caller: string) =>
    polls.wait({
      // Of a request, only whose it is matters here.
      request: { caller: { id: caller, isOperator: false } } as FastifyRequest,
      response,
      watched: { kind: 'provider', clusterId: caller },
      query: { wait: '60s', after: '10' },
    })
  response.setMaxListeners(0)
  return { polls, response, ask }
}

describe('createLongPolls', () => {
  it('holds a bounded number for one caller, and others as before', async () => {
    const { polls, ask } = somePolls()
    const open = Array.from({ length: OPEN_PER_CALLER_MAX }, () => ask('rome'))

    const oneMore = ask('rome')
    open.push(ask('paris'))

    await expect(oneMore).rejects.toMatchObject({ code: 'RateLimited' })
    expect(polls.count()).toBe(OPEN_PER_CALLER_MAX + 1)
    polls.endAll({ closing: false })
    await Promise.all(open)
  })

  it('lets go of a client that went away', async () => {
    const { polls, response, ask } = somePolls()
    const poll = ask('rome')

    response.emit('close')
    await poll

    expect(polls.count()).toBe(0)
    expect(response.listenerCount('close')).toBe(0)
  })
})

describe('a caller that is shut out while it waits', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval'] }))
  afterEach(() => void vi.useRealTimers())

  const polled = ['/instructions', '/reservations', '/reservations/:id', '/peerings']

  it.each(polled)('is refused at %s when news comes, as if it asked anew', async (path) => {
    const { poll, admission, post, put, held } = await aWaiting(path)

    admission.current = { deny: new Set(['paris']) }
    await post('rome', `${held}/activate`)
    await put('rome', `/peerings/ps-${'a'.repeat(26)}`, {
      providerID: 'paris',
      networking: 'none',
      hello: 'sealed',
    })

    expect(await poll).toMatchObject({ status: 403, body: { code: 'ClusterDenied' } })
  })

  it.each([
    { list: 'denied', lists: { deny: new Set(['paris']) } },
    { list: 'no longer allowed', lists: { allow: new Set(['rome']), deny: new Set<string>() } },
  ])('is woken within 15 seconds of being $list, and others wait on', async ({ lists }) => {
    const { poll, admission, api, get } = await aWaiting('/instructions')
    const other = get('rome', '/instructions?wait=30s')
    await expect.poll(api.waiting).toBe(2)

    admission.current = lists
    vi.advanceTimersByTime(15_000)

    expect(await poll).toMatchObject({ status: 403, body: { code: 'ClusterDenied' } })
    expect(api.waiting()).toBe(1)
    api.endWaits({ closing: true })
    expect((await other).status).toBe(200)
  })
})

/** Paris, which holds a reservation of Rome's, waits for news at this path. */
async function aWaiting(path: string) {
  const market = await anApi()
  const { advertise, post, get, api } = market
  await advertise('paris')
  const { body } = await post('rome', '/reservations', { requestedResources: { cpu: '1' } })
  const poll = get('paris', `${path.replace(':id', body.id)}?wait=30s`)
  await expect.poll(api.waiting).toBe(1)
  return { ...market, poll, held: `/reservations/${body.id}` }
}
