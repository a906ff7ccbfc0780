import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Pool from 'undici/lib/dispatcher/pool.js'
import { expect, it, onTestFinished } from 'vitest'
import { createLeavablePool } from './leavable-pool.ts'

it('sends nothing of a call that has left, even if a connection becomes free', async () => {
  const { origin, heard, closed, answer } = await listen()
  const pool = new Pool(origin, { connections: 2 })
  const pulse = { answers: 0, lost: () => undefined }
  const calls = createLeavablePool({ pool, origin, isForQuestions: false, pulse })
  const [one, other, queued] = ['/one', '/other', '/queued'].map((path) => ask(path))
  await expect.poll(() => heard.toSorted()).toEqual(['/one', '/other'])

  const left = calls.leave()
  expect(await queued).toMatchObject({ name: 'BrokerUnreachable', isUnsent: true })
  answer('/one')
  expect(await one).toBe('answered')
  // Its connection is what the queued one would be sent on, and is given up instead.
  await expect.poll(() => heard.length + closed.length).toBe(3)
  answer('/other')

  expect(await other).toBe('answered')
  await left
  expect(heard.toSorted()).toEqual(['/one', '/other'])
  expect(await ask('/late')).toMatchObject({ isUnsent: true })

  function ask(path: string): Promise<unknown> {
    return new Promise((end) => {
      const handler = {
        onRequestStart: () => undefined,
        onResponseEnd: () => end('answered'),
        onResponseError: (_: unknown, thrown: Error) => end(thrown),
      }
      calls.dispatch({ method: 'POST', path }, handler)
    })
  }
})

async function listen() {
  const answers = new Map<string, ServerResponse>()
  const heard: string[] = []
  const server = createServer(({ url = '' }, response) => {
    heard.push(url)
    answers.set(url, response)
  })
  const closed: unknown[] = []
  server.on('connection', (socket) => socket.on('close', () => closed.push(socket)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening TCP server always has such an address.
  const { port } = server.address() as AddressInfo
  const answer = (path: string) => answers.get(path)?.end()
  return { origin: `http://127.0.0.1:${port}`, heard, closed, answer }
}
