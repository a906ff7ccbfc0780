// Budget: 15 seconds. Issue "Bad input": the documented 4xx, the field named, nothing changed.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  createRawCaller,
  eventually,
  makeTestCertificates,
  type RawCaller,
  type RawReply,
  type RawRequest,
  readReply,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { rssMbOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADVERTISEMENTS,
  advertise,
  badInputs,
  RESERVATIONS,
  reserve,
  strangeNames,
} from './bad-input/bad-inputs.ts'

const SECRET = 'do-not-write-me-down'
const MEGABYTE = 1024 * 1024

describe('bad input', () => {
  let broker: TestBroker
  let rome: RawCaller
  let operator: RawCaller

  beforeAll(async () => {
    broker = await startBroker()
    rome = await broker.aRawCaller('rome')
    operator = await broker.aRawOperator()
    const paris = await broker.aRawCaller('paris')
    await paris.post(ADVERTISEMENTS, anAdvertisement('paris'))
    await rome.post(ADVERTISEMENTS, anAdvertisement('rome'))
    await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { requestId: 'job-7' }))
  })
  afterAll(() => broker?.dispose())

  it.each(badInputs)('answers $status to $name and changes nothing', async (row) => {
    const before = await books()

    const reply = await rome.send(row.asked)

    expect(reply, reply.text).toMatchObject({ status: row.status, json: { code: row.code } })
    expect(reply.headers['content-type']).toContain('application/problem+json')
    for (const name of ['bourse-ledger', 'bourse-index', 'bourse-term'])
      expect(reply.headers).toHaveProperty(name)
    expect(reply.json.error).toBe(reply.json.detail)
    const fields = reply.json.fields?.map(({ path }: { path: string }) => path)
    expect(fields).toEqual(row.field === undefined ? undefined : [row.field])
    expect(await books()).toEqual(before)
  })

  it('answers 413 to ten megabytes, whether announced or not', async () => {
    const before = await books()
    const length = { 'content-length': String(10 * MEGABYTE) }

    const announced = await pour(length, 64 * 1024)
    const chunked = await pour({ 'transfer-encoding': 'chunked' }, 10 * MEGABYTE)

    expect(announced).toMatchObject({ status: 413, json: { code: 'BodyTooLarge' } })
    expect(chunked).toMatchObject({ status: 413, json: { code: 'BodyTooLarge' } })
    expect(await books()).toEqual(before)
  })

  it('answers 413 also to a caller who sends all of it before reading', async () => {
    const whole = Buffer.alloc(10 * MEGABYTE, 'x')
    const headers = { 'content-type': 'application/json', 'content-length': `${whole.length}` }
    const statuses = new Set<number>()

    for (let turn = 0; turn < 20; turn++) {
      // Each another one: four in a second are as much as one caller has credit for.
      const sender = await broker.aRawCaller(`sender-${turn}`, 1)
      const call = sender.open({ method: 'POST', path: RESERVATIONS, headers })
      call.end(whole)
      const [response] = await once(call, 'response')
      statuses.add((await readReply(response)).status)
      sender.close()
    }

    expect([...statuses]).toEqual([413])
  })

  it('answers 422 to a known request id with another body', async () => {
    const before = await books()

    const reply = await rome.post(RESERVATIONS, aRequest({ cpu: '2' }, { requestId: 'job-7' }))

    expect(reply).toMatchObject({
      status: 422,
      json: { code: 'RequestIdReused', fields: [{ path: 'requestId' }] },
    })
    expect(await books()).toEqual(before)
  })

  it('names every bad field at once', async () => {
    const reply = await rome.send(reserve({ cpu: '-1', memory: 'lots' }, { duration: '0s' }))

    const paths = reply.json.fields.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual([
      'duration',
      'requestedResources.cpu',
      'requestedResources.memory',
    ])
  })

  it('does not believe a well-formed reserved, available or a time in 2099', async () => {
    const body = anAdvertisement('rome', { cpu: '8' }, { timestamp: '2099-01-01T00:00:00Z' })
    const claims = { reserved: { cpu: '7' }, available: { cpu: '900' } }

    const reply = await rome.post(ADVERTISEMENTS, {
      ...body,
      resources: { ...body.resources, ...claims },
    })

    expect(reply.status).toBe(200)
    const { resources, timestamp } = reply.json.advertisement
    expect(resources).toMatchObject({ reserved: { cpu: '0' }, available: { cpu: '8' } })
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000)
  })

  it.each(strangeNames)('answers 403 to a certificate whose name has $name', async (strange) => {
    const { commonName } = strange
    const certPath = await broker.certificates.forLeaf(strange.name, {
      commonName,
      usages: ['client'],
    })
    const caller = createRawCaller({ url: broker.url, certPath })

    const reply = await caller.get('/api/v1/instructions')
    caller.close()

    expect(reply).toMatchObject({ status: 403, json: { code: 'InvalidIdentity' } })
  })

  it('lets no caller in without a certificate of its own authority that is in force', async () => {
    const { certificates, url } = broker
    const foreign = await makeTestCertificates()
    const leaf = { commonName: 'rome', usages: ['client'] as const }
    const own = await certificates.forCluster('rome')
    const expired = await certificates.forLeaf('expired', leaf, -5)
    const server = await certificates.forLeaf('not-a-client', { ...leaf, usages: ['server'] })
    const stranger = await foreign.forCluster('rome')
    const callers = [
      createRawCaller({ url, certPath: own, presents: false }),
      createRawCaller({ url, certPath: expired }),
      createRawCaller({ url, certPath: server }),
      createRawCaller({ url, certPath: stranger, authorityPath: own }),
    ]

    const answers = await Promise.allSettled(callers.map((one) => one.get('/api/v1/instructions')))
    for (const caller of callers) caller.close()
    foreign.dispose()

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 'rejected'))
    await eventually('each refusal is in the log with its reason', async () =>
      [
        'it has no certificate',
        'its certificate, or one in its chain, has expired',
        'its certificate is not meant for clients',
        'no authority in ca.crt has signed its certificate',
      ].every((reason) => broker.logs().includes(`TLS handshake refused: ${reason}`)),
    )
  })

  it('stays small under any input, and writes down what helps and no secret', async () => {
    const headers = { authorization: `Bearer ${SECRET}` }
    const asked = { ...reserve({ cpu: '-1' }, { password: SECRET }), headers }
    const large = { ...advertise({ padding: SECRET.padEnd(2 * MEGABYTE, 'x') }), headers }
    await flood(200, asked)
    const before = rssMbOf(broker.pid)

    await flood(3_000, asked)
    await flood(100, large)

    // What it took for a while is given back when the broker rests.
    await expect.poll(() => rssMbOf(broker.pid) - before).toBeLessThan(80)
    expect(broker.logs()).not.toContain(SECRET)
    expect(broker.logs()).not.toContain('PRIVATE KEY')
    const line = broker
      .logs()
      .split('\n')
      .find((one) => one.includes('requestedResources.cpu'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      caller: 'rome',
      code: 'InvalidRequest',
      status: 400,
    })
  })

  /** What a change would show in: every cluster and every reservation, but not who was heard when. */
  async function books() {
    const clusters = await operator.get(ADVERTISEMENTS)
    const reservations = await operator.get(`${RESERVATIONS}?phase=Reserved,Active,Released`)
    type Shown = { clusterID: string; resources: object; status: { changedAt: string } }
    return {
      clusters: clusters.json.items.map(({ clusterID, resources, status }: Shown) => ({
        clusterID,
        resources,
        changedAt: status.changedAt,
      })),
      reservations: reservations.json.items,
    }
  }

  /** Sends a large body in pieces, until the answer comes or it has sent enough. */
  async function pour(headers: Record<string, string>, enough: number): Promise<RawReply> {
    const type = { 'content-type': 'application/json' }
    const call = rome.open({ method: 'POST', path: RESERVATIONS, headers: { ...type, ...headers } })
    let isAnswered = false
    const answer = once(call, 'response').finally(() => {
      isAnswered = true
    })
    const piece = Buffer.alloc(16 * 1024, 'x')
    for (let sent = 0; sent < enough && !isAnswered; sent += piece.length) {
      call.write(piece)
      await sleep(1)
    }
    const [response] = await answer
    return readReply(response)
  }

  async function flood(count: number, asked: RawRequest): Promise<void> {
    const SIDE_BY_SIDE = 20
    for (let sent = 0; sent < count; sent += SIDE_BY_SIDE)
      await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, () => rome.send(asked)))
  }
})
