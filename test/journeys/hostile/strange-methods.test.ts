// Budget: 15 seconds. Every method that node's parser takes, on every port: a refusal in words.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { METHODS, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quietPorts, type RawReply, readReply, startBroker, type TestBroker } from '@bourse/testkit'
import { identityIn } from '@bourse/testkit/identity'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TOKEN = 'a token of decent length'
const HEADERS = {
  none: {},
  json: { 'content-type': 'application/json' },
  strange: { 'content-type': 'text/strange' },
} as const

let dir: string
let broker: TestBroker
let pageUrl: string
let identity: ReturnType<typeof identityIn>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-methods-'))
  const tokenFile = join(dir, 'token')
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 })
  const [port = 0] = await quietPorts(1)
  pageUrl = `http://127.0.0.1:${port}`
  broker = await startBroker({
    flags: [
      ...['--rate-limit=0', `--dashboard-bind-address=127.0.0.1:${port}`],
      `--dashboard-token-file=${tokenFile}`,
    ],
  })
  identity = identityIn(await broker.certificates.forCluster('rome'))
})
afterAll(async () => {
  await broker?.dispose()
  rmSync(dir, { recursive: true, force: true })
})

/** Where, and what is answered there in earnest. */
const doors = [
  { name: 'the API', url: () => `${broker.url}/api/v1/instructions`, taken: ['GET'] },
  { name: 'the API elsewhere', url: () => `${broker.url}/nowhere`, taken: [] },
  { name: 'the page', url: () => `${pageUrl}/data/overview`, taken: ['GET', 'HEAD'] },
  { name: 'the health port', url: () => `${broker.healthUrl}/healthz`, taken: ['GET', 'HEAD'] },
  { name: 'the metrics port', url: () => broker.metricsUrl, taken: ['GET', 'HEAD'] },
]

describe.each(doors)('at $name', ({ url, taken }) => {
  it.each(Object.keys(HEADERS) as (keyof typeof HEADERS)[])(
    'no method is a fault, with a content type of the kind: %s',
    async (kind) => {
      const strange = METHODS.filter((method) => !taken.includes(method))

      const replies = await Promise.all(strange.map((method) => send(url(), method, HEADERS[kind])))

      const told = replies.map(({ status, headers }, at) => ({
        method: strange[at],
        isRefused: status === 404 || (status === 405 && headers.allow !== undefined),
        type: headers['content-type'],
      }))
      expect(told).toEqual(
        strange.map((method) => ({ method, isRefused: true, type: 'application/problem+json' })),
      )
      expect(broker.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/)
    },
  )
})

function send(url: string, method: string, headers: Record<string, string>): Promise<RawReply> {
  const isSecure = url.startsWith('https:')
  // A tunnel is asked for by the name of its end, and is here on a connection of its own.
  const path = method === 'CONNECT' ? { path: 'elsewhere:443' } : {}
  const options = { method, headers, agent: false, ...path, ...(isSecure && identity) }
  return new Promise((resolve, reject) => {
    const call = isSecure ? secureRequest(url, options) : request(url, options)
    call.once('error', reject)
    call.once('response', (response) => readReply(response).then(resolve, reject))
    // What a tunnel carries would be in the socket; its refusal is told by the headers alone.
    call.once('connect', ({ statusCode = 0, headers: told }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, headers: told, text: '', json: undefined, index: Number.NaN })
    })
    call.end()
  })
}
