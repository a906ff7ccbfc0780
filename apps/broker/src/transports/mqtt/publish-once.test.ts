import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { publishOnce } from './publish-once.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The far side acknowledges, refuses or says nothing. */
function aClient({ hasId = true, hasEnded = false } = {}) {
  const answer = Promise.withResolvers<undefined>()
  const removed: number[] = []
  let lastId = 7
  const client = {
    disconnecting: hasEnded,
    getLastMessageId: () => lastId,
    publishAsync() {
      if (hasId) lastId += 1
      return answer.promise
    },
    removeOutgoingMessage(id: number) {
      removed.push(id)
      answer.reject(new Error('Message removed'))
      return this as never
    },
  }
  const message = { topic: 'there', payload: Buffer.from('{}'), properties: {} }
  const settled = vi.fn()
  const published = publishOnce(client, message)
  published.then(settled, settled)
  return { answer, removed, settled, published }
}

it('waits for the acknowledgement, and leaves no timer behind', async () => {
  const { answer, removed, settled, published } = aClient()
  await vi.advanceTimersByTimeAsync(29_000)
  expect(settled).not.toHaveBeenCalled()

  answer.resolve(undefined)
  await published

  expect(removed).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('forgets a message that is not acknowledged for half a minute', async () => {
  const { removed, published } = aClient()

  await vi.advanceTimersByTimeAsync(30_000)
  await published

  expect(removed).toEqual([8])
})

it('never forgets the message of another, while its own waits for a connection', async () => {
  const { removed, settled } = aClient({ hasId: false })

  await vi.advanceTimersByTimeAsync(30_000)

  expect(removed).toEqual([])
  expect(settled).not.toHaveBeenCalled()
})

it('tells why the server refuses it', async () => {
  const { answer, published } = aClient()

  answer.reject(new Error('Not authorized'))

  await expect(published).rejects.toThrow('Not authorized')
})

it('gives up on a client that has ended, and asks nothing of it', async () => {
  const { removed, published } = aClient({ hasEnded: true })

  await vi.advanceTimersByTimeAsync(30_000)
  await published

  expect(removed).toEqual([])
})
