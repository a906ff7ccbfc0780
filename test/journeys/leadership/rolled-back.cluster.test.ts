// Budget: 150 seconds. Brokers of one ledger on a store that was put back to an older copy.
import { aRequest, eventually, fetchAnew, type TestBroker } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { advertiseParis, type Several } from '@bourse/testkit/leadership'
import { startPostgres } from '@bourse/testkit/postgres'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acceptRollback, RESERVATIONS, saysSo } from '../hostile/rolled-back-scene.ts'
import { makePlace } from './a-place-on.ts'
import { startBrokersForTest } from './brokers-for-test.ts'

const controlPlane = useControlPlane({ kinds: brokerKinds })
const LOST = 10
/** So long that no broker is elected while a copy is being put back. */
const SLOW_LEASE = ['--lease-duration=20s', '--lease-renew=15s']

describe.each([
  { what: 'kubernetes', aStore: onKubernetes },
  { what: 'postgres', aStore: onPostgres },
])('several brokers on a $what store that was put back', ({ what, aStore }) => {
  it('refuse everything by one proof, and go on as one ledger once it is accepted', async () => {
    const store = await aStore()
    const several = await startBrokersForTest(2, store.flags)
    const { ledgerId, seen } = await rolledBack(several, store)
    for (const broker of several.brokers) await several.relaunch(broker)
    const first = await several.leader()
    const second = several.brokers.find((broker) => broker !== first) ?? first
    const rome = await first.aClient('rome', { attemptsMax: 1 })
    rome.remember?.(seen)

    expect(await rome.requestReservation(aRequest({ cpu: '1' })).catch(String)).toContain(
      'older copy',
    )

    await saysSo(first)
    // The next leader has it from the store.
    await first.kill('SIGKILL')
    await saysSo(second)
    const raw = await second.aRawCaller('oslo')
    expect((await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))).status).toBe(503)
    await several.relaunch(first)

    const accepted = await acceptRollback(store.place, store.env)

    await eventually('the leader starts again', () => !second.isRunning() || undefined)
    expect(second.logs()).toContain('was accepted: this broker starts again')
    const [, founded] = /ledger (\w+) at index/.exec(accepted) ?? []
    const next = await several.leader()
    expect(next).toBe(first)
    await several.relaunch(second)
    const sold = await (await next.aRawCaller('oslo')).post(RESERVATIONS, aRequest({ cpu: '1' }))
    expect(sold.status).toBe(201)
    expect(sold.headers['bourse-ledger']).toBe(founded)
    expect(founded).not.toBe(ledgerId)
    expect(await acceptRollback(store.place, store.env).catch(String)).toContain(
      'nothing to accept',
    )
  })

  it('are stopped by a standby that had read more, when its turn comes', async () => {
    const store = await aStore()
    const several = await startBrokersForTest(2, [...store.flags, ...SLOW_LEASE])
    await stopAll(several)
    await store.keepCopy()
    const children = several.brokers.map((broker) => ({ broker, child: broker.launch() }))
    const leading = await several.leader()
    await advertiseParis(leading, '100')
    const { index } = await (await leading.aClient('rome')).ping()
    const standby = children.find(({ broker }) => broker !== leading)
    if (!standby) throw new Error('both lead')
    await follows(standby.broker, index)

    await leading.kill('SIGKILL')
    await store.putCopyBack()

    expect((await standby.child.exited).code).toBeGreaterThan(0)
    expect(standby.broker.logs()).toMatch(/older copy of its ledger.*A standby had read it/s)
    standby.broker.launch()
    await saysSo(standby.broker)
    expect(await acceptRollback(store.place, store.env)).toContain(`the ${what} store`)
  })
})

type SharedStore = Readonly<{
  flags: readonly string[]
  /** Of `bourse ledger`. */
  place: readonly string[]
  env: Readonly<Record<string, string>>
  keepCopy(): Promise<void>
  putCopyBack(): Promise<void>
}>

async function onKubernetes(): Promise<SharedStore> {
  const { kubectl } = controlPlane()
  const { namespace, kubeconfig } = await makePlace(controlPlane())
  const here = `--namespace=${namespace}`
  const kinds = 'journalslots,snapshotchunks,historychunks'
  const place = [
    '--store=kubernetes',
    `--store-namespace=${namespace}`,
    `--kubeconfig=${kubeconfig}`,
  ]
  let copy = ''
  return {
    flags: place,
    place,
    env: {},
    async keepCopy() {
      copy = withoutVersions(await kubectl(['get', kinds, here, '--output=json']))
    },
    async putCopyBack() {
      await kubectl(['delete', kinds, '--all', here])
      await kubectl(['create', here, '--filename=-'], copy)
    },
  }
}

async function onPostgres(): Promise<SharedStore> {
  const database = await startPostgres()
  onTestFinished(database.stop)
  const { namespace, kubeconfig } = await makePlace(controlPlane())
  const lease = [`--store-namespace=${namespace}`, `--kubeconfig=${kubeconfig}`]
  const { keepCopy, putCopyBack } = database
  return {
    flags: ['--store=postgres', `--postgres-url=${database.url}`, ...lease],
    place: ['--store=postgres'],
    env: { BOURSE_POSTGRES_URL: database.url },
    ...{ keepCopy, putCopyBack },
  }
}

/** What an API server gives itself when it makes an object. */
function withoutVersions(list: string): string {
  return JSON.stringify(JSON.parse(list), (key, value) =>
    ['resourceVersion', 'uid', 'creationTimestamp', 'managedFields'].includes(key)
      ? undefined
      : value,
  )
}

/** All brokers are stopped, and the store is what it was before the last reservations. */
async function rolledBack(several: Several, store: SharedStore) {
  await advertiseParis(await several.leader(), '1000')
  await stopAll(several)
  await store.keepCopy()
  for (const broker of several.brokers) await several.relaunch(broker)
  const rome = await (await several.leader()).aClient('rome')
  for (let nth = 0; nth < LOST; nth++) await rome.requestReservation(aRequest({ cpu: '1' }))
  const seen = await rome.ping()
  await stopAll(several)
  await store.putCopyBack()
  return { ledgerId: seen.ledgerId, seen }
}

async function stopAll({ brokers }: Several): Promise<void> {
  await Promise.all(brokers.map((broker) => broker.stop()))
}

async function follows({ healthUrl }: TestBroker, index = 0): Promise<void> {
  await eventually('the standby follows', async () => {
    const said = await (await fetchAnew(`${healthUrl}/readyz`)).text()
    const [, at] = /following at index (\d+)/.exec(said) ?? []
    return Number(at) >= index || undefined
  })
}
