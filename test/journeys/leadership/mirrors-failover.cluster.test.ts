// Budget: 90 seconds.
import { existsSync } from 'node:fs'
import { type ReservationStatus, reservationKind } from '@bourse/contract/kinds'
import { createKubeClient, type KubeObject, loadConnection } from '@bourse/kube'
import { aRequest, type Client, eventually, type TestBroker } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { advertiseParis, leads, type Several } from '@bourse/testkit/leadership'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { clearObjects } from '../kubernetes/broker-on-objects.ts'
import { aReservation, objectsOf, type Seen } from '../kubernetes/objects.ts'
import { aPlaceOn } from './a-place-on.ts'
import { startBrokersForTest } from './brokers-for-test.ts'

const RESERVATIONS = 200
const plane = useControlPlane({ kinds: brokerKinds })

beforeEach(() => clearObjects(plane()))

describe('when the leader fails in the middle of showing what was decided', () => {
  it.each(['SIGSTOP', 'SIGKILL'] as const)(
    'all of it is shown in the end, and nothing older over newer (%s)',
    async (signal) => {
      const { brokers, leader, aClient } = await start()
      const failing = await leader()
      await advertiseParis(failing, '100000')
      const rome = await aClient('rome', { attemptsMax: 60, budgetMs: 120_000 })
      const order = await watchOrder()
      const { first, all } = reserveMany(rome)

      // As soon as there is something to show: the last may be granted by the next leader.
      await first
      process.kill(failing.pid, signal)
      // The next one does not write before the lease has run out.
      const shownThen = await shownCount()
      const [next] = brokers.filter((broker) => broker !== failing)
      await eventually('The other one leads', () => leadsNow(next), 60_000)
      const ids = await all
      // Asked there: whether a frozen one answers is not what this is about.
      const operator = await next?.anOperator()
      await Promise.all(ids.slice(0, 100).map((id) => operator?.release({ id })))
      if (signal === 'SIGSTOP') process.kill(failing.pid, 'SIGCONT')

      const [released, reserved] = [ids.slice(0, 100), ids.slice(100)]
      await eventually('Mirrors say what the ledger says', () => saysSo(released, reserved), 60_000)
      expect(shownThen).toBeLessThan(RESERVATIONS)
      expect(order.steppedBack).toEqual([])
    },
  )

  it('a Reservation made meanwhile is decided by the next one, once', async () => {
    const { brokers, leader } = await start()
    const frozen = await leader()
    await advertiseParis(frozen, '100000')
    const { apply, read } = objectsOf(plane())

    const { pid } = frozen
    process.kill(pid, 'SIGSTOP')
    await apply(...['one', 'two', 'three'].map((name) => aReservation(name)))
    const [next] = brokers.filter((broker) => broker !== frozen)
    for (const name of ['one', 'two', 'three'])
      await eventually(
        `${name} is Reserved`,
        async () => isReserved(await read('rsv', name)),
        60_000,
      )
    process.kill(pid, 'SIGCONT')
    await eventually('The frozen one has gone, to start again', () => isGone(pid), 60_000)

    const operator = await next?.anOperator()
    const { items } = (await operator?.listReservations()) ?? { items: [] }
    expect(items.map(({ status }) => status.phase)).toEqual(['Reserved', 'Reserved', 'Reserved'])
  })
})

async function start(): Promise<Several> {
  const place = await aPlaceOn(plane())
  const doors = '--broker-interface=http,kubernetes'
  return startBrokersForTest(2, ['--store=kubernetes', doors, ...place])
}

const leadsNow = async (broker: TestBroker | undefined) =>
  broker && (await leads(broker)) ? true : undefined

const isReserved = (seen: Seen | undefined) => seen?.status?.phase === 'Reserved' || undefined

function isGone(pid: number): true | undefined {
  return existsSync(`/proc/${pid}`) ? undefined : true
}

/** Many at once: when the first is answered, and the ids of all. */
function reserveMany(rome: Client): Readonly<{ first: Promise<string>; all: Promise<string[]> }> {
  const reserve = async () => {
    const outcome = await rome.requestReservation(aRequest({ cpu: '1', memory: '1Mi' }))
    if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
    return outcome.reservation.id
  }
  const asked = Array.from({ length: RESERVATIONS }, reserve)
  return { first: Promise.race(asked), all: Promise.all(asked) }
}

async function shownCount(): Promise<number> {
  const { all } = objectsOf(plane())
  return (await all('rsv')).filter(({ status }) => status?.phase === 'Reserved').length
}

/** Something that was never shown while it lived need not be shown when it has ended. */
async function saysSo(released: readonly string[], reserved: readonly string[]) {
  const objects = await objectsOf(plane()).all('rsv')
  const phases = new Map(objects.map(({ metadata, status }) => [metadata.name, status?.phase]))
  const isRight =
    reserved.every((id) => phases.get(id) === 'Reserved') &&
    released.every((id) => (phases.get(id) ?? 'Released') === 'Released')
  return isRight || undefined
}

type Shown = KubeObject<unknown, ReservationStatus>

/** Everything that is written to a Reservation from now on: does it ever go back? */
async function watchOrder() {
  const client = createKubeClient(await loadConnection({ kubeconfig: plane().adminKubeconfig }))
  const ending = new AbortController()
  const indices = new Map<string, number>()
  const steppedBack: string[] = []
  const running = follow().catch((cause: unknown) => {
    if (!ending.signal.aborted) throw cause
  })
  onTestFinished(async () => {
    ending.abort()
    await running
    await client.close()
  })
  return { steppedBack }

  async function follow(): Promise<void> {
    const { signal } = ending
    for await (const event of client.watch<Shown>(reservationKind, { signal })) {
      if (!('object' in event)) continue
      const { metadata, status } = event.object
      const before = indices.get(metadata.uid ?? '') ?? 0
      const index = status?.ledgerIndex ?? 0
      if (index < before) steppedBack.push(`${metadata.name} from ${before} to ${index}`)
      indices.set(metadata.uid ?? '', index)
    }
  }
}
