import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RESERVATION, WANTED } from '../../fixtures/http/granted.ts'
import { createHttpBroker } from './http-broker.ts'

const certificates = useCertificates()

describe('a broker of the Go original', () => {
  it('grants a reservation that has the id of its request', async () => {
    const { broker } = await start({ status: 201, body: RESERVATION })

    const outcome = await broker.requestReservation({ ...WANTED, requestId: 'job-7' })

    expect(outcome).toMatchObject({ reservation: { id: 'rsv-1', requestId: 'job-7' } })
  })

  it('is sent amounts as text, as it reads nothing else', async () => {
    const { broker, script } = await start({ status: 201, body: RESERVATION })

    await broker.requestReservation({ requestedResources: { cpu: 2, memory: '4Gi' } })

    expect(script.heard[0]?.body).toMatchObject({
      requestedResources: { cpu: '2', memory: '4Gi' },
    })
  })

  it('is not sent the same reservation twice, as it would book twice', async () => {
    const { broker, script } = await start('hang up', { status: 200, body: { status: 'ok' } })

    await expect(broker.requestReservation(WANTED)).rejects.toMatchObject({
      name: 'BrokerUnreachable',
    })
    expect(script.heard.map(({ line }) => line)).toEqual([
      'POST /api/v1/reservations',
      'GET /api/v1/healthz',
    ])
  })

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('may say %s for no instructions', async (_, body) => {
    const { broker } = await start({ status: 200, body })

    expect((await broker.fetchInstructions()).instructions).toEqual([])
  })

  it('refuses with an error of its own kind, which is an outcome here too', async () => {
    const { broker } = await start({ status: 409, body: { error: 'no suitable cluster' } })

    expect(await broker.requestReservation(WANTED)).toMatchObject({
      kind: 'refused',
      message: 'no suitable cluster',
      rows: [],
    })
  })

  it('does not know our additional calls, and the error says so', async () => {
    const { broker } = await start({ status: 404, body: '404 page not found\n' })

    await expect(broker.activate('rsv-1')).rejects.toMatchObject({
      code: 'Unsupported',
      message: expect.stringContaining('does not know POST /reservations/rsv-1/activate'),
    })
  })

  it('has no list of reservations to watch, and that is said plainly, too', async () => {
    const { broker } = await start({ status: 404, body: '404 page not found\n' })
    const watching = broker.watchReservations({ signal: AbortSignal.timeout(30_000) })

    await expect(watching[Symbol.asyncIterator]().next()).rejects.toThrow('does not know GET')
  })

  it('is polled with pauses, since it has no long polls', async () => {
    const { broker, script, pauses } = await start({ status: 200, body: [RESERVATION] })
    const ending = new AbortController()

    for await (const { instructions } of broker.watchInstructions({ signal: ending.signal })) {
      expect(instructions).toHaveLength(1)
      if (script.heard.length === 3) ending.abort()
    }

    expect(pauses).toEqual([5_000, 5_000])
  })
})

/** A broker that follows the script, and a client of it that does not wait. */
async function start(...scenes: [Scene, ...Scene[]]) {
  const script = await playBroker(await certificates().forServer(), scenes)
  const pauses: number[] = []
  const sleep = async (ms: number) => void pauses.push(ms)
  const certPath = await certificates().forCluster('rome')
  const broker = createHttpBroker({ url: script.url, certPath, clock: { sleep } })
  onTestFinished(async () => {
    await broker.close()
    await script.close()
  })
  return { broker, script, pauses }
}
