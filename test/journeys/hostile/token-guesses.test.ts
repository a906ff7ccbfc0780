// Budget: 15 seconds. Wrong tokens for the live page, by form and by header, and odd spellings.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quietPorts, type RawReply, readReply, startBroker, type TestBroker } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'
import { figureOf } from './broker-figures.ts'

const TOKEN = 'a token of decent length'
const ROUNDS = attackSize({ sample: 1, full: 15 })
/** At a time: the page has room for 256 connections. */
const GUESSES = 100
const ATTACKER = '127.0.0.2'
const OPERATOR = '127.0.0.1'
const OVERVIEW = '/data/overview'

let dir: string
let broker: TestBroker
let port = 0

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-token-'))
  const tokenFile = join(dir, 'token')
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 })
  ;[port = 0] = await quietPorts(1)
  broker = await startBroker({
    flags: [`--dashboard-bind-address=127.0.0.1:${port}`, `--dashboard-token-file=${tokenFile}`],
  })
})
afterAll(async () => {
  await broker?.dispose()
  rmSync(dir, { recursive: true, force: true })
})

describe('guesses of the token', () => {
  it('are slowed by form and by header alike, and lock no operator out', async () => {
    const cookie = await signedIn(ATTACKER)
    const guessed: RawReply[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      guessed.push(...(await Promise.all(Array.from({ length: GUESSES }, guess))))

    const operator = await byHeader(TOKEN, OPERATOR)
    const signIn = await byForm(TOKEN, OPERATOR)
    const neighbour = await get(OVERVIEW, { from: ATTACKER, headers: { cookie } })

    const statuses = new Set(guessed.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([401, 403, 429])
    const refused = guessed.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(guessed.length / 10)
    expect(refused[0]?.headers['retry-after']).toBe('3')
    expect([operator.status, signIn.status, neighbour.status]).toEqual([200, 303, 200])
    const name = 'broker_door_refusals_total{door="page",reason="tooManyTries"}'
    expect(await figureOf(broker, name)).toBe(refused.length)
  })

  it.each([
    { path: '/%64ata/overview', status: 401 },
    { path: '/data/%6Fverview', status: 401 },
    { path: '/%64%61%74%61/stream', status: 401 },
    { path: '//data/overview', status: 401 },
    { path: '/./data/overview', status: 401 },
    { path: '/sign-in/../data/overview', status: 401 },
    { path: '/sign-in/..%2fdata/overview', status: 401 },
    { path: '/sign-in%2f..%2fdata/overview', status: 401 },
    { path: '/DATA/overview', status: 401 },
    { path: '/data/overview;/sign-in', status: 401 },
    { path: '/data/overview?/sign-in', status: 401 },
    { path: '/plain.css/../data/overview', status: 401 },
    { path: '/%73ign-in', status: 200 },
  ])('cannot be saved by spelling: $path', async ({ path, status }) => {
    expect((await get(path, { from: OPERATOR })).status).toBe(status)
  })

  it.each([OVERVIEW, '/%64ata/overview', '/data/%6Fverview'])(
    'are of no use to another site: %s',
    async (path) => {
      const cookie = await signedIn(OPERATOR)
      const headers = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

      expect((await get(path, { from: OPERATOR, headers })).status).toBe(403)
    },
  )
})

function guess(_: unknown, at: number): Promise<RawReply> {
  return at % 2 === 0 ? byHeader(`guess ${at}`, ATTACKER) : byForm(`guess ${at}`, ATTACKER)
}

async function signedIn(from: string): Promise<string> {
  const { headers } = await byForm(TOKEN, from)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

function byHeader(token: string, from: string): Promise<RawReply> {
  return get(OVERVIEW, { from, headers: { authorization: `Bearer ${token}` } })
}

function byForm(token: string, from: string): Promise<RawReply> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `token=${encodeURIComponent(token)}`
  return send({ method: 'POST', path: '/sign-in', headers }, { from, body })
}

type From = Readonly<{ from: string; headers?: Record<string, string> }>

function get(path: string, { from, headers = {} }: From): Promise<RawReply> {
  return send({ method: 'GET', path, headers }, { from })
}

type Asked = Readonly<{ method: string; path: string; headers: Record<string, string> }>

function send(asked: Asked, { from, body }: Readonly<{ from: string; body?: string }>) {
  return new Promise<RawReply>((resolve, reject) => {
    const call = request({ ...asked, host: '127.0.0.1', port, localAddress: from, agent: false })
    call.once('error', reject)
    call.once('response', (response) => readReply(response).then(resolve, reject))
    call.end(body)
  })
}
