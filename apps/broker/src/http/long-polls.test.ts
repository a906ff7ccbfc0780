import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createChangeFeed } from '../after-commit/change-feed.ts'
import { createLongPolls, OPEN_PER_CALLER_MAX } from './long-polls.ts'

function somePolls() {
  const polls = createLongPolls({ feed: createChangeFeed(10), index: () => 10 })
  // A poll only listens for the client's going away.
  const response = new EventEmitter() as ServerResponse
  const ask = (caller: string) =>
    polls.wait({
      caller,
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
