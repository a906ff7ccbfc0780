// Budget: 15 seconds. What an operator's monitoring sees of a real broker.
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const RESERVATIONS = '/api/v1/reservations'

describe('the figures of a broker at work', () => {
  let broker: TestBroker
  let metrics = ''
  beforeAll(async () => {
    broker = await startBroker()
    const paris = await broker.aRawCaller('paris')
    const oslo = await broker.aRawCaller('oslo')
    const rome = await broker.aRawCaller('rome')
    await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu: '16' }))
    await oslo.post('/api/v1/advertisements', anAdvertisement('oslo', { cpu: '2' }))
    await oslo.post('/api/v1/advertisements/oslo/cordon')
    const { json } = await rome.post(RESERVATIONS, aRequest({ cpu: '4' }))
    await rome.post(RESERVATIONS, aRequest({ cpu: '3' }, { duration: '1h' }))
    await rome.post(RESERVATIONS, aRequest({ cpu: '99' }))
    await rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${json.id}` })
    metrics = await eventually('The books are counted', async () => {
      const text = await (await fetchAnew(broker.metricsUrl)).text()
      return text.includes('broker_audit_ok 1') ? text : undefined
    })
  })
  afterAll(() => broker?.dispose())

  it.each([
    ['reservations by phase', 'broker_reservations_total{phase="Reserved"}', 2],
    ['those that have ended', 'broker_reservations_total{phase="Released"}', 1],
    ['requests that were granted', 'broker_decisions_total{outcome="reserved"}', 2],
    ['requests that nothing fitted', 'broker_decisions_total{outcome="refused"}', 1],
    ['what is held now', 'broker_live_reservations', 1],
    ['nothing that waits', 'broker_queue_depth', 0],
    ['open clusters', 'broker_clusters{state="open"}', 1],
    ['cordoned clusters', 'broker_clusters{state="cordoned"}', 1],
    ['capacity', 'broker_capacity{resource="cpu",kind="allocatable"}', 18],
    ['what of it is reserved', 'broker_capacity{resource="cpu",kind="reserved"}', 3],
    ['what of it is free', 'broker_capacity{resource="cpu",kind="available"}', 15],
    ['books that agree', 'broker_audit_ok', 1],
    ['a broker that decides', 'broker_ready', 1],
    ['nothing unsettled', 'broker_clusters{state="overcommitted"}', 0],
  ])('count %s', (_what, series, value) => {
    expect(figure(series)).toBe(value)
  })

  it.each([
    ['decisions', 'broker_selection_duration_seconds'],
    ['commits', 'broker_commit_duration_seconds'],
    ['the way to a reservation', 'broker_time_to_reserve_seconds'],
    ['events in a commit', 'broker_batch_events'],
  ])('spread %s over a histogram', (_what, name) => {
    const count = figure(`${name}_count`)

    expect(count).toBeGreaterThan(0)
    expect(figure(`${name}_bucket{le="+Inf"}`)).toBe(count)
    expect(metrics).toMatch(new RegExp(`^${name}_bucket\\{le="[0-9.e-]+"\\} \\d+$`, 'm'))
  })

  it('name no cluster and no requester', () => {
    expect(metrics).not.toMatch(/paris|oslo|rome/)
  })

  it('name requesters where that is allowed', async () => {
    const open = await startBroker({ flags: ['--metrics-tenants'] })
    const rome = await open.aRawCaller('rome')
    const paris = await open.aRawCaller('paris')
    await paris.post('/api/v1/advertisements', anAdvertisement('paris'))
    await rome.post(RESERVATIONS, aRequest())

    const text = await (await fetchAnew(open.metricsUrl)).text()

    expect(text).toContain('broker_reservations_total{phase="Reserved",requester="rome"} 1')
    await open.dispose()
  })

  it('stand beside a readiness that says what was looked at', async () => {
    const look = await eventually('The broker is ready', async () => {
      const reply = await fetchAnew(`${broker.healthUrl}/readyz`)
      return reply.ok ? reply.text() : undefined
    })

    expect(look).toMatch(/journal.*ok/)
    expect(look).toMatch(/audit.*consistent at index \d+/)
    expect(look).not.toMatch(/paris|oslo|rome/)
  })

  function figure(series: string): number {
    const line = metrics.split('\n').find((one) => one.startsWith(`${series} `))
    return Number(line?.slice(series.length))
  }
})
