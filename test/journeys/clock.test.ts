// Budget: 40 seconds. A wall clock that lies, and a history that is soon over.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  type RawCaller,
  repositoryRoot,
  startChild,
  type TestBroker,
} from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { aBrokerWithAClock } from './clock/use-shifted-clock.ts'

const RESERVATIONS = '/api/v1/reservations'
const HOUR_MS = 3_600_000
/** On a busy machine; an hour is what would be wrong. */
const SLACK_MS = 30_000

describe('a clock that is set back by an hour', () => {
  it('changes nothing for a broker that runs, nor for one that is started then', async () => {
    const { broker, setClock } = await aBrokerWithAClock()
    const rome = await withProvider(broker)
    const before = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { duration: '4s' }))

    setClock(-HOUR_MS)
    await eventually('The broker says that its clock is wrong', async () => {
      const metrics = await (await fetchAnew(broker.metricsUrl)).text()
      return /^broker_clock_skew_seconds -3[56]\d\d/m.test(metrics) || undefined
    })
    const running = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { duration: '4s' }))
    await broker.kill('SIGKILL')
    await broker.restart()
    const started = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { duration: '2s' }))

    const created = [before, running, started].map(({ json }) => Date.parse(json.createdAt))
    expect(created).toEqual(created.toSorted((one, other) => one - other))
    expect(Date.now() - (created[2] ?? 0)).toBeLessThan(SLACK_MS)
    for (const { json } of [before, running, started]) {
      const ended = await untilEnded(rome, json.id)
      expect(ended.status).toMatchObject({ phase: 'Released', reason: 'Expired' })
      expect(ended.status.endedAt >= json.status.expiresAt).toBe(true)
    }
    const paris = await broker.aRawCaller('paris')
    const { json } = await paris.get('/api/v1/advertisements/paris')
    expect(json.resources.available.cpu).toBe('8')
  })
})

describe('a journal that is cut short as time goes by', () => {
  it('still knows each request id, also after a kill', async () => {
    const flags = ['--history=1m', '--snapshot-every=100']
    const { broker, setClock } = await aBrokerWithAClock(flags)
    const rome = await withProvider(broker)
    const live = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { requestId: 'live' }))
    const ended = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { requestId: 'ended' }))
    await rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${ended.json.id}` })
    await rome.send({ method: 'DELETE', path: `${RESERVATIONS}?requestId=never-came` })
    await comeAndGo(rome)
    await eventually('A snapshot is taken', async () => (await verified(broker)).snapshots > 0)

    await broker.stop()
    setClock(5 * 60_000)
    await broker.restart()
    await comeAndGo(rome)
    const floor = await eventually('The journal is cut', async () => {
      const { state } = await verified(broker)
      return state.floor.index > live.index ? state.floor.index : undefined
    })
    await broker.kill('SIGKILL')
    await broker.restart()

    const asked = (requestId: string) =>
      rome.post(RESERVATIONS, aRequest({ cpu: '1' }, { requestId }))
    expect(floor).toBeGreaterThan(ended.index)
    expect(await asked('live')).toMatchObject({ status: 200, json: { id: live.json.id } })
    expect(await asked('ended')).toMatchObject({
      status: 200,
      json: { id: ended.json.id, status: { phase: 'Released' } },
    })
    expect(await asked('never-came')).toMatchObject({
      status: 409,
      json: { code: 'RequestReleased' },
    })
    const why = await rome.get(`${RESERVATIONS}/${live.json.id}/explanation`)
    expect(why.json.note).toContain('no longer reaches back')
  })
})

describe('a broker that was away for two days', () => {
  it('takes no cluster for gone that it could not hear', async () => {
    const { broker, setClock } = await aBrokerWithAClock(['--snapshot-every=100'])
    const rome = await withProvider(broker)
    const endless = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }))
    await comeAndGo(rome)
    await eventually('A snapshot is taken', async () => (await verified(broker)).snapshots > 0)

    await broker.stop()
    setClock(48 * HOUR_MS)
    await broker.restart()
    await withProvider(broker)

    const { json } = await rome.get(`${RESERVATIONS}/${endless.json.id}`)
    expect(json.status).toMatchObject({ phase: 'Reserved' })
  })
})

async function withProvider(broker: TestBroker): Promise<RawCaller> {
  const paris = await broker.aRawCaller('paris')
  await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu: '8' }))
  return broker.aRawCaller('rome')
}

/** More events than lie between two snapshots. */
async function comeAndGo(rome: RawCaller): Promise<void> {
  for (let nth = 0; nth < 60; nth++) {
    const { json } = await rome.post(RESERVATIONS, aRequest({ cpu: '1' }))
    await rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${json.id}` })
  }
}

async function untilEnded(rome: RawCaller, id: string) {
  return eventually('It has ended', async () => {
    const { json } = await rome.get(`${RESERVATIONS}/${id}`)
    if (json.status.phase === 'Released') return json
    await sleep(100)
    return undefined
  })
}

type Verified = Readonly<{ snapshots: number; state: { floor: { index: number } } }>

async function verified(broker: TestBroker): Promise<Verified> {
  const command = ['ledger', 'verify', '--data-dir', broker.dataDir, '-o', 'json']
  const verify = startChild([`${repositoryRoot}/bin/bourse`, ...command])
  const { code } = await verify.exited
  expect(code, verify.output()).toBe(0)
  return JSON.parse(verify.output()) as Verified
}
