// Budget: 20 seconds. Text from the wire that wants to drive an operator's terminal.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { anAdvertisement, eventually, repositoryRoot, startBroker } from '@bourse/testkit'
import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Sets the title, clears the screen, hides what follows, turns it round, fakes a line. */
const HOSTILE =
  'a\u001b]0;owned\u0007\u001b[8m\u001b[2J\u009b8m\u202e\u200b\r\nparis  Active\u{e0041}'
/** What must not arrive at a terminal; ends of lines are the table's own. */
const UNSAFE = /[^\P{C}\n]|[\u2028\u2029]/u

const { play, rome } = useScriptedBrokers()

describe('a real broker', () => {
  it('refuses such text at the door and keeps its log clean', async () => {
    const broker = await startBroker({ flags: ['--log-format=pretty', '--log-level=debug'] })
    onTestFinished(broker.dispose)
    const paris = await broker.aRawCaller('paris')

    const refused = await paris.post(
      '/api/v1/advertisements',
      anAdvertisement('paris', {}, { clusterName: HOSTILE, labels: { zone: HOSTILE } }),
    )
    const written = encodeURIComponent(HOSTILE)
    await paris.get(`/api/v1/reservations?limit=${written}`)
    await paris.get(`/api/v1/${written}`)
    await paris.post('/api/v1/advertisements', anAdvertisement('paris'))
    const operator = await broker.certificates.forOperator('ana')
    const listed = await bourse(['clusters', '--broker-url', broker.url, '--cert-path', operator])

    expect(refused).toMatchObject({ status: 400, json: { code: 'InvalidRequest' } })
    expect(refused.json.fields.map(({ path }: { path: string }) => path)).toEqual([
      ...['clusterName', 'labels.zone'],
    ])
    await eventually('The refusals are in the log', () => broker.logs().includes('limit'))
    expect(broker.logs()).not.toMatch(UNSAFE)
    expect(listed.out).toContain('paris')
    expect(listed.out).not.toMatch(UNSAFE)
  })
})

describe('a hostile broker', () => {
  const reservation = {
    ...{ id: HOSTILE, requesterID: HOSTILE, targetClusterID: HOSTILE, requestId: HOSTILE },
    requestedResources: { cpu: HOSTILE, [HOSTILE]: '1' },
    status: { phase: 'Reserved', reason: HOSTILE, message: HOSTILE },
    ...{ createdAt: '2026-11-15T00:00:00Z', priority: 0, index: 7, endpointURL: HOSTILE },
    cost: { perHour: HOSTILE, currency: HOSTILE },
  }
  const resources = { capacity: {}, allocatable: {}, allocated: {}, reserved: {}, available: {} }
  const cluster = {
    ...{ clusterID: HOSTILE, clusterName: HOSTILE, timestamp: '2026-11-15T00:00:00Z' },
    ...{ location: HOSTILE, labels: { [HOSTILE]: HOSTILE }, endpointURL: HOSTILE },
    resources: { ...resources, capacity: { [HOSTILE]: HOSTILE } },
    status: {
      ...{ phase: 'Active', accepting: 'open', score: HOSTILE, band: 'good' },
      ...{ overcommitted: false, liveReservations: 0 },
      ...{ lastSeenAt: '2026-11-15T00:00:00Z', changedAt: '2026-11-15T00:00:00Z' },
    },
  }
  const row = { clusterID: HOSTILE, verdict: 'chosen', message: HOSTILE, score: HOSTILE }
  const evaluation = {
    ...{ targetClusterID: HOSTILE, policy: HOSTILE, summary: HOSTILE, refused: {}, rows: [row] },
    request: { requesterID: HOSTILE, requestedResources: { cpu: HOSTILE } },
  }
  const event = { kind: 'reservation', change: 'reserved', index: 1, at: HOSTILE, reservation }

  it.each([
    { verb: ['clusters'], body: { items: [cluster] } },
    { verb: ['clusters', 'paris'], body: cluster },
    { verb: ['clusters', '-o', 'wide'], body: { items: [cluster] } },
    { verb: ['clusters', '-o', 'json'], body: { items: [cluster] } },
    { verb: ['clusters', '-o', 'yaml'], body: { items: [cluster] } },
    { verb: ['reservations'], body: { items: [reservation] } },
    { verb: ['reservations', 'rsv-1'], body: reservation },
    { verb: ['reserve', '--cpu', '1'], body: reservation },
    { verb: ['evaluate', '--cpu', '1', '-o', 'wide'], body: evaluation },
    { verb: ['release', 'rsv-1'], status: 409, body: { code: 'WrongPhase', detail: HOSTILE } },
    { verb: ['reserve', '--cpu', '1'], status: 500, body: HOSTILE },
  ])('does nothing to the terminal of `bourse $verb`', async ({ verb, body, status = 200 }) => {
    const { url } = await play({ status, body, headers: STAMP })

    const { out, err } = await bourse([...verb, '--broker-url', url, '--cert-path', rome()])

    expect(out + err).toMatch(/owned|500/)
    expect(out).not.toMatch(UNSAFE)
    expect(err).not.toMatch(UNSAFE)
    // It would look like a row of the table.
    if (!verb.includes('yaml')) expect(out).not.toMatch(/^paris {2}Active/m)
  })

  it('does nothing to the terminal of `bourse watch`', async () => {
    const { url } = await play(
      { status: 200, body: { status: 'ok' }, headers: STAMP },
      (_, reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
        reply.end(`event: reservation\ndata: ${JSON.stringify(event)}\nid: 1\n\n`)
      },
    )

    const where = ['--broker-url', url, '--cert-path', rome()]
    const { out, err } = await bourse(['watch', '--count', '1', ...where])

    expect(out).toContain('owned')
    expect(out + err).not.toMatch(UNSAFE)
  })

  it('is read by programs as it came', async () => {
    const { url } = await play({ status: 200, body: cluster, headers: STAMP })

    const where = ['--broker-url', url, '--cert-path', rome()]
    const { out } = await bourse(['clusters', 'paris', '-o', 'json', ...where])

    expect(JSON.parse(out).clusterName).toBe(HOSTILE)
  })
})

async function bourse(argv: readonly string[]) {
  const child = spawn(join(repositoryRoot, 'bin', 'bourse'), argv, {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, err }
}
