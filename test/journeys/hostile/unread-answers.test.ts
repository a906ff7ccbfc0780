// Budget: 40 seconds.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  repositoryRoot,
  startBroker,
  startChild,
  type TestBroker,
} from '@bourse/testkit'
import { descriptorsOf, peakRssMbOf, rssMbOf } from '@bourse/testkit/process-usage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'
import { apiNewcomer } from './newcomer.ts'
import type { Unread } from './unread-process.ts'

const size = attackSize({
  sample: { connections: 60, times: 5, seconds: 6 },
  full: { connections: 600, times: 10, seconds: 60 },
})
const ROWS = 1_000
const MORE_MB_MAX = 150
const ANSWERED_WITHIN_MS = 10_000

describe('callers that ask for long lists and never read them', () => {
  let broker: TestBroker

  beforeEach(async () => {
    broker = await startBroker()
    const paris = await broker.aRawCaller('paris')
    await paris.post(
      '/api/v1/advertisements',
      anAdvertisement('paris', { cpu: '10000', memory: '100Ti' }),
    )
    const rome = await broker.aRawCaller('rome', 20)
    const asked = Array.from({ length: ROWS }, () => rome.post('/api/v1/reservations', aRequest()))
    await Promise.all(asked)
  })
  afterEach(() => broker?.dispose())

  it('take a bounded amount of memory, and others are answered', async () => {
    const newcomer = await apiNewcomer(broker)
    for (let n = 0; n < 20; n++) await newcomer()
    const before = { descriptors: descriptorsOf(broker.pid), rssMb: rssMbOf(broker.pid) }

    const attack = startChild([process.execPath, program, JSON.stringify(await anOrder())])
    const waits: number[] = []
    while (attack.exit() === undefined) {
      waits.push(await newcomer())
      await sleep(100)
    }

    console.log(
      before,
      peakRssMbOf(broker.pid),
      Math.max(...waits),
      waits.length,
      (await metrics()).match(/broker_(conn|unw).*/g),
    )
    expect(peakRssMbOf(broker.pid)).toBeLessThan(before.rssMb + MORE_MB_MAX)
    expect(Math.max(...waits)).toBeLessThan(ANSWERED_WITHIN_MS)
    expect(await metrics()).toMatch(
      /broker_connections_dropped_total\{port="api",reason="memory"\}/,
    )
    await eventually(
      'Descriptors are back',
      () => descriptorsOf(broker.pid) <= before.descriptors + 50 || undefined,
    )
  })

  async function anOrder(): Promise<Unread> {
    const certPath = await broker.certificates.forCluster('rome')
    const port = Number(new URL(broker.url).port)
    return { ...size, port, certPath, path: `/api/v1/reservations?limit=${ROWS}` }
  }

  const metrics = async () => (await fetchAnew(broker.metricsUrl)).text()
})

const program = join(repositoryRoot, 'test/journeys/hostile/unread-process.ts')
