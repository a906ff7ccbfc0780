// Budget: 150 seconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { aRequest, eventually } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import {
  advertiseParis,
  differences,
  LEASE_MS,
  leads,
  type Several,
  startLoad,
} from '@bourse/testkit/leadership'
import { startPostgres } from '@bourse/testkit/postgres'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aPlaceOn } from './a-place-on.ts'
import { startBrokersForTest } from './brokers-for-test.ts'

/** How long a client goes on with one call. */
const ANSWER_WITHIN_MS = 10_000
/** Also on a busy machine. How fast it is, `make bench` says. */
const FOLLOWED_WITHIN_MS = 12 * LEASE_MS
/** A lease that no test waits out, and that no busy machine lets run out. */
const LONG_S = 60
const LONG_LEASE = [`--lease-duration=${LONG_S}s`, `--lease-renew=${LONG_S - 10}s`]

const controlPlane = useControlPlane({ kinds: brokerKinds })

describe('several brokers on the kubernetes store', () => {
  it('tells callers of a standby where the leader is, and that it is warm itself', async () => {
    const { brokers, leader } = await start(2, [...ON_KUBERNETES, ...LONG_LEASE])
    const leading = await leader()
    const standby = brokers.find((broker) => broker !== leading)
    const rome = await standby?.aRawCaller('rome')

    // It may have been asked before it could know who was faster.
    const reply = await eventually('The standby knows the leader', async () => {
      const told = await rome?.get('/api/v1/reservations')
      return told?.headers['bourse-leader'] ? told : undefined
    })

    expect(reply).toMatchObject({ status: 503, json: { code: 'Unavailable', status: 503 } })
    expect(reply?.headers).toMatchObject({ 'retry-after': '1', 'bourse-leader': leading.url })
    expect(await standby?.isReady()).toBe(true)
  })

  it('loses nothing and sells nothing twice when leaders are killed under load', async () => {
    const { brokers, leader, relaunch } = await start(2)
    await advertiseParis(await leader(), '100000')
    const load = await startLoad(brokers, 4)
    const tookMs: number[] = []

    for (let kill = 0; kill < 3; kill++) {
      await load.nextSuccessAfter(performance.now())
      const leading = await leader()
      await leading.kill('SIGKILL')
      const killedAt = performance.now()
      tookMs.push((await load.nextSuccessAfter(killedAt)) - killedAt)
      await relaunch(leading)
    }
    await load.stop()

    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
    expect(load.contradictions).toEqual([])
    expect(Math.max(...tookMs)).toBeLessThan(FOLLOWED_WITHIN_MS)
  })

  it('commits nothing by a leader that was frozen past its lease', async () => {
    const { brokers, leader } = await start(2)
    const frozen = await leader()
    await advertiseParis(frozen, '100000')
    const load = await startLoad(brokers, 4)
    await load.nextSuccessAfter(performance.now())

    process.kill(frozen.pid, 'SIGSTOP')
    const next = await eventually(
      'The other broker leads',
      async () => {
        const [other] = brokers.filter((broker) => broker !== frozen)
        return other && (await leads(other)) ? other : undefined
      },
      60_000,
    )
    await load.nextSuccessAfter(performance.now())
    process.kill(frozen.pid, 'SIGCONT')
    await load.nextSuccessAfter(performance.now() + 1_000)
    await load.stop()

    await expect.poll(() => leads(next)).toBe(true)
    expect(await leads(frozen)).toBe(false)
    expect(await differences(await next.aRawOperator(), load.acknowledged)).toEqual([])
    expect(load.contradictions).toEqual([])
  })

  it('costs a client one time-out that the leader is frozen, however many calls it has', async () => {
    const { leader, aClient } = await start(2)
    const frozen = await leader()
    await advertiseParis(frozen, '100000')
    const rome = await aClient('rome')
    onTestFinished(() => rome.close())
    const reserve = () => rome.requestReservation(aRequest({ cpu: '1' }))
    await Promise.all(Array.from({ length: 8 }, reserve))

    process.kill(frozen.pid, 'SIGSTOP')
    const frozenAt = performance.now()
    const outcomes = await Promise.all(Array.from({ length: 100 }, reserve))
    const tookMs = performance.now() - frozenAt
    process.kill(frozen.pid, 'SIGCONT')

    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['reserved']))
    // It has four connections: one after another on each, they would have cost it twenty-five.
    expect(tookMs).toBeLessThan(12 * ANSWER_WITHIN_MS)
  })

  it('hands over at once when the leader is told to stop', async () => {
    const { brokers, leader } = await start(2, [...ON_KUBERNETES, ...LONG_LEASE])
    const first = await leader()
    await advertiseParis(first, '100000')
    const load = await startLoad(brokers, 4)
    await load.nextSuccessAfter(performance.now())

    const exit = await first.stop()
    const stoppedAt = performance.now()
    const handedOverMs = (await load.nextSuccessAfter(stoppedAt)) - stoppedAt
    await load.stop()

    expect(exit).toEqual({ code: 0, signal: null })
    expect(handedOverMs).toBeLessThan((LONG_S / 2) * 1_000)
    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
  })

  it('explains a decision that has left the ring, also after the leader was killed', async () => {
    const { leader } = await start(2, ['--store=kubernetes', '--store-slots=16'])
    const first = await leader()
    await advertiseParis(first, '100000')
    const rome = await first.aRawCaller('rome')
    const reserve = () => rome.post('/api/v1/reservations', { requestedResources: { cpu: '1' } })
    const { json } = await reserve()
    for (let batch = 0; batch < 40; batch++) await reserve()
    const path = `/api/v1/reservations/${(json as { id: string }).id}/explanation`

    const before = await rome.get(path)
    await first.kill('SIGKILL')
    const after = await (await (await leader()).aRawCaller('rome')).get(path)

    const table = { status: 200, json: { rows: [{ clusterID: 'paris', verdict: 'chosen' }] } }
    expect(before).toMatchObject(table)
    expect(after).toMatchObject(table)
  })

  it('loses nothing when the API server and etcd are killed under load', async () => {
    const { brokers, leader } = await start(2)
    await advertiseParis(await leader(), '100000')
    const load = await startLoad(brokers, 4)
    const { apiServer, etcd } = controlPlane()

    for (const part of [apiServer, etcd]) {
      await load.nextSuccessAfter(performance.now())
      await part.kill()
      await sleep(LEASE_MS + 1_000)
      await part.start()
    }
    await load.nextSuccessAfter(performance.now())
    await load.stop()

    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
    expect(load.contradictions).toEqual([])
  })

  it('founds one ledger when all brokers start at once', async () => {
    const { brokers, leader } = await start(3)

    const operator = await (await leader()).aRawOperator()
    const { headers } = await operator.get('/api/v1/reservations')

    expect(headers['bourse-index']).toBe('1')
    await expect
      .poll(async () => (await Promise.all(brokers.map(leads))).filter(Boolean))
      .toEqual([true])
  })

  it('stops politely while it stands by', async () => {
    const { brokers, leader } = await start(2, [...ON_KUBERNETES, ...LONG_LEASE])
    const leading = await leader()
    const standby = brokers.find((broker) => broker !== leading)

    expect(await standby?.stop()).toEqual({ code: 0, signal: null })
    await expect.poll(() => leads(leading)).toBe(true)
  })
})

describe('several brokers on the postgres store', () => {
  it('loses nothing when the leader is killed and the database crashes under load', async () => {
    const database = await startPostgres()
    onTestFinished(database.stop)
    const { brokers, leader } = await start(2, [
      '--store=postgres',
      `--postgres-url=${database.url}`,
    ])
    const first = await leader()
    await advertiseParis(first, '100000')
    const load = await startLoad(brokers, 4)
    await load.nextSuccessAfter(performance.now())

    await first.kill('SIGKILL')
    const killedAt = performance.now()
    const tookMs = (await load.nextSuccessAfter(killedAt)) - killedAt
    await database.restart('immediate')
    await load.nextSuccessAfter(performance.now())
    await load.stop()

    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
    expect(load.contradictions).toEqual([])
    expect(tookMs).toBeLessThan(FOLLOWED_WITHIN_MS)
  })
})

// A small ring goes round many times.
const ON_KUBERNETES = ['--store=kubernetes', '--store-slots=256']

async function start(count: number, store: readonly string[] = ON_KUBERNETES): Promise<Several> {
  return startBrokersForTest(count, [...store, ...(await aPlaceOn(controlPlane()))])
}
