import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHttpBroker } from '@bourse/client'
import { aRequest, type Client, type TestBroker } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import {
  type Acknowledged,
  advertiseParis,
  differences,
  leads,
  type Several,
} from '@bourse/testkit/leadership'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { describe, expect, it } from 'vitest'
import { aPlaceOn } from './a-place-on.ts'
import { startBrokersForTest } from './brokers-for-test.ts'
import { openCuttableLine } from './cuttable-line.ts'

/** Until a label is an endpoint, and an endpoint a rule on every node. */
const ENDPOINTS_LATE_MS = 500

/** A handover takes longer on a busy machine. */
const PATIENT = { attemptsMax: 60, budgetMs: 120_000 }

const controlPlane = useControlPlane({ kinds: brokerKinds })

describe('a rolling update', () => {
  it('fails no request of a client that knows the brokers, and loses nothing', async () => {
    const { brokers, leader, relaunch, aClient } = await start(3)
    await advertiseParis(await leader(), '100000')
    const load = startWork(
      await Promise.all(['rome', 'oslo', 'bern', 'riga'].map((id) => aClient(id, PATIENT))),
    )
    const watch = startWatch(await aClient('paris'))

    for (const broker of brokers) {
      await load.goesOn()
      expect(await broker.stop()).toEqual({ code: 0, signal: null })
      await relaunch(broker)
    }
    await load.goesOn()
    await load.stop()
    await watch.stop()

    expect(load.failures).toEqual([])
    expect(watch.failures).toEqual([])
    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
  })

  it('fails no request of a client with one address, which leads to the leader', async () => {
    const { brokers, leader, relaunch, certificates } = await start(3)
    await advertiseParis(await leader(), '100000')
    const service = await openService(brokers, await leader())
    const certPath = await certificates.forCluster('rome')
    const load = startWork([createHttpBroker({ url: service.url, certPath, retry: PATIENT })])

    for (const broker of brokers) {
      await load.goesOn()
      await broker.stop()
      await relaunch(broker)
    }
    await load.goesOn()
    await load.stop()
    await service.close()

    expect(load.failures).toEqual([])
    expect(service.changes()).toBeGreaterThan(0)
    const operator = await (await leader()).aRawOperator()
    expect(await differences(operator, load.acknowledged)).toEqual([])
  })

  it('never refuses a connection while a standby becomes the leader', async () => {
    const { brokers, leader } = await start(2)
    const leaving = await leader()
    const [standby] = brokers.filter((broker) => broker !== leaving)
    if (!standby) throw new Error('There are two brokers')
    const knocking = knockAt(new URL(standby.url))

    await leaving.stop()
    await expect.poll(() => leads(standby), { timeout: 60_000 }).toBe(true)

    expect(await knocking.stop()).toEqual([])
  })
})

async function start(count: number): Promise<Several> {
  const place = await aPlaceOn(controlPlane())
  return startBrokersForTest(count, ['--store=kubernetes', ...place])
}

/** As the chart's Service: an address that follows the leader's label, a moment late. */
async function openService(brokers: readonly TestBroker[], first: TestBroker) {
  const line = await openCuttableLine(first.url)
  let target = first
  let changes = 0
  let isOver = false
  const running = follow()

  async function follow(): Promise<void> {
    while (!isOver) {
      const leading = await Promise.all(brokers.map(leads))
      const next = brokers[leading.indexOf(true)]
      await sleep(ENDPOINTS_LATE_MS)
      if (!next || next === target) continue
      line.leadTo(next.url)
      target = next
      changes++
    }
  }

  return {
    url: line.url,
    changes: () => changes,
    async close() {
      isOver = true
      await running
      line.close()
    },
  }
}

/** Clients that reserve one after another; what any of them throws is a failed request. */
function startWork(clients: readonly Client[]) {
  const acknowledged: Acknowledged[] = []
  const failures: unknown[] = []
  let isOver = false
  const running = Promise.all(clients.map(run))

  async function run(client: Client): Promise<void> {
    while (!isOver) {
      const asked = client.requestReservation(aRequest({ cpu: '1', memory: '1Mi' }))
      const outcome = await asked.catch((failure: unknown) => void failures.push(failure))
      if (outcome?.kind === 'reserved') {
        const { requestId, reservation } = outcome
        acknowledged.push({ id: reservation.id, requestId, at: performance.now() })
      } else if (outcome) failures.push(outcome)
      await sleep(10)
    }
    await client.close()
  }

  return {
    acknowledged,
    failures,
    /** All clients are being served at this moment. */
    async goesOn() {
      const before = acknowledged.length
      const more = before + 5 * clients.length
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(more)
    },
    async stop() {
      isOver = true
      await running
    },
  }
}

/** A provider that waits for instructions all the time. */
function startWatch(client: Client) {
  const failures: unknown[] = []
  const ending = new AbortController()
  const running = follow().catch((failure: unknown) => void failures.push(failure))

  async function follow(): Promise<void> {
    for await (const _ of client.watchInstructions({ signal: ending.signal }));
  }

  return {
    failures,
    async stop() {
      ending.abort()
      await running
      await client.close()
    },
  }
}

/** Opens one connection after another, and notes those that were refused. */
function knockAt({ hostname, port }: URL) {
  const refusals: string[] = []
  let isOver = false
  const running = run()

  async function run(): Promise<void> {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname)
        socket.once('connect', () => socket.destroy())
        socket.once('error', ({ message }) => refusals.push(message))
        socket.once('close', () => resolve())
      })
      await sleep(1)
    }
  }

  return {
    async stop() {
      isOver = true
      await running
      return refusals
    },
  }
}
