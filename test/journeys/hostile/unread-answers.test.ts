// Budget: 60 seconds, of which 20 pass before it is certain that the client does not read.
import { join } from 'node:path'
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

const RESERVATIONS = '/api/v1/reservations'
/** A list of them has three hundred kilobytes. */
const ROWS = 1_000
const connections = attackSize({ sample: 12, full: 600 })
const MORE_MB_MAX = 150
const DESCRIPTORS_MORE = 5
/** Twenty seconds after the last byte was taken; a busy machine takes long to make what is never read. */
const CUT_WITHIN_MS = attackSize({ sample: 240_000, full: 60_000 })

describe('callers that ask for long lists and never read them', () => {
  let broker: TestBroker

  beforeEach(async () => {
    broker = await startBroker()
    const paris = await broker.aRawCaller('paris')
    const advertised = anAdvertisement('paris', { cpu: '10000', memory: '100Ti' })
    await paris.post('/api/v1/advertisements', advertised)
    const rome = await broker.aRawCaller('rome', 20)
    const asked = Array.from({ length: ROWS }, () => rome.post(RESERVATIONS, aRequest()))
    await Promise.all(asked)
    paris.close()
    rome.close()
  })
  afterEach(() => broker?.dispose())

  it('are cut off, take a bounded amount of memory, and others are answered', async () => {
    const newcomer = await apiNewcomer(broker)
    await newcomer()
    const before = { descriptors: descriptorsOf(broker.pid), rssMb: rssMbOf(broker.pid) }

    const attack = startChild([process.execPath, program, JSON.stringify(await anOrder())])
    await eventually(
      'All are here',
      () => descriptorsOf(broker.pid) >= before.descriptors + connections / 2 || undefined,
    )
    await eventually(
      'All are cut off',
      async () => {
        await newcomer()
        return descriptorsOf(broker.pid) <= before.descriptors + DESCRIPTORS_MORE || undefined
      },
      CUT_WITHIN_MS,
    )
    const isAttackOver = attack.exit() !== undefined
    attack.kill('SIGKILL')
    await attack.exited

    expect(isAttackOver).toBe(false)
    expect(peakRssMbOf(broker.pid)).toBeLessThan(before.rssMb + MORE_MB_MAX)
    const metrics = await (await fetchAnew(broker.metricsUrl)).text()
    // A broker that gets no processor time hears several questions at once, which is no better.
    expect(metrics).toMatch(/_dropped_total\{port="api",reason="(unread|pipelined|memory)"\} \d/)
  })

  async function anOrder(): Promise<Unread> {
    const port = Number(new URL(broker.url).port)
    const certPath = await broker.certificates.forCluster('rome')
    return { connections, port, certPath, path: `${RESERVATIONS}?limit=${ROWS}` }
  }
})

const program = join(repositoryRoot, 'test/journeys/hostile/unread-process.ts')
