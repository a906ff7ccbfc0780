import { eventually } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { loadConnection } from '../connection/load-connection.ts'
import { LEASE } from '../objects/kinds.ts'
import type { KubeObject } from '../objects/objects.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { createLeaderLease } from './leader-lease.ts'

type Lease = KubeObject<{ holderIdentity: string; leaseTransitions: number }>

const LEASE_MS = 3_000
const RENEW_MS = 2_000
/** So long that who waits until it has run out is not there in time for any `expect.poll`. */
const LONG = { leaseMs: 120_000, renewMs: 100_000 }
const FOR_EVER_MS = 1_000_000_000

const controlPlane = useControlPlane()
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
})
afterAll(() => client.close())

type Changes = Partial<Clock> &
  Readonly<{ leaseMs?: number; renewMs?: number; retryMs?: number; as?: KubeClient }>

function run(name: string, identity: string, changes: Changes = {}) {
  const { leaseMs = LEASE_MS, renewMs = RENEW_MS, retryMs = 200, as = client, ...world } = changes
  const told: string[] = []
  const lease = createLeaderLease({
    client: as,
    namespace: 'default',
    name,
    identity,
    address: `https://${identity}`,
    leaseMs,
    renewMs,
    retryMs,
    onLead: () => told.push('leads'),
    onLost: (why) => void told.push(why),
    onTrouble: ({ message }) => told.push(message),
    clock: { ...systemClock, ...world },
  })
  onTestFinished(() => lease.stop())
  return { lease, told }
}

const leaders = (...all: readonly { lease: { isLeader(): boolean } }[]) =>
  all.filter(({ lease }) => lease.isLeader()).length

it('has one leader among many, and the next as soon as that one stops', async () => {
  const many = ['a', 'b', 'c'].map((identity) => run('stops', identity, LONG))

  await expect.poll(() => leaders(...many)).toBe(1)
  const first = many.find(({ lease }) => lease.isLeader())
  const others = many.filter((one) => one !== first)
  await first?.lease.stop()
  await expect.poll(() => leaders(...others)).toBe(1)

  expect(first?.told).toEqual(['leads', 'released'])
  const next = others.find(({ lease }) => lease.isLeader())
  const last = others.find((one) => one !== next)
  await expect.poll(() => last?.lease.holder()).toEqual(next?.lease.holder())
  expect(last?.lease.holder()?.address).toMatch(/^https:\/\/[abc]$/)
})

describe('a lease that is given back between two looks of the next one', () => {
  // The next one has looked just now, and would look again when the test has long given up.
  const seldom = { ...LONG, retryMs: 90_000 }

  it('is taken at once by a candidate that watches', async () => {
    const one = run('told', 'one', seldom)
    await expect.poll(() => one.lease.isLeader()).toBe(true)
    const next = run('told', 'next', seldom)
    await expect.poll(() => next.lease.holder()?.identity).toBe('one')

    await one.lease.stop()

    await expect.poll(() => next.lease.isLeader()).toBe(true)
  })

  it('has a holder that all others know at once', async () => {
    const one = run('known', 'one', seldom)
    await expect.poll(() => one.lease.isLeader()).toBe(true)
    const others = ['two', 'three'].map((name) => run('known', name, seldom))
    const known = () => others.map(({ lease }) => lease.holder()?.identity)
    await expect.poll(known).toEqual(['one', 'one'])

    await one.lease.stop()

    await expect.poll(() => ['two,two', 'three,three'].includes(known().join())).toBe(true)
  })

  it('is taken at the next look by who may not watch it, without complaint', async () => {
    const one = run('untold', 'one', LONG)
    await expect.poll(() => one.lease.isLeader()).toBe(true)
    const next = run('untold', 'next', { ...LONG, as: await whoMayNotWatch() })
    await expect.poll(() => next.lease.holder()?.identity).toBe('one')

    await one.lease.stop()
    await expect.poll(() => next.lease.isLeader()).toBe(true)

    expect(next.told).toEqual(['leads'])
  })
})

/** As the role of an earlier chart had it. */
async function whoMayNotWatch(): Promise<KubeClient> {
  const { kubectl, kubeconfigFor } = controlPlane()
  const may = '--verb=get,create,update'
  await kubectl(['create', 'role', 'unwatching', may, '--resource=leases.coordination.k8s.io'])
  await kubectl(['create', 'rolebinding', 'unwatching', '--role=unwatching', '--user=unwatching'])
  const canUpdate = ['auth', 'can-i', 'update', 'leases.coordination.k8s.io', '--as=unwatching']
  // The server's own view of the bindings follows a moment later.
  await eventually('it may update', () =>
    kubectl(canUpdate).then(
      () => true,
      () => false,
    ),
  )
  const kubeconfig = await kubeconfigFor({ user: 'unwatching' })
  const without = createKubeClient(await loadConnection({ kubeconfig }))
  onTestFinished(() => without.close())
  return without
}

it('is not led any more when the server cannot be reached, before others could lead', async () => {
  const { apiServer } = controlPlane()
  const leaseMs = 60_000
  const one = run('frozen', 'one', { leaseMs })
  await expect.poll(() => one.lease.isLeader()).toBe(true)

  const frozenAt = performance.now()
  apiServer.freeze()
  onTestFinished(() => apiServer.thaw())
  await expect.poll(() => one.lease.isLeader()).toBe(false)
  const lostAfterMs = performance.now() - frozenAt
  await expect.poll(() => one.told).toContain('not renewed')
  apiServer.thaw()
  await expect.poll(() => one.lease.isLeader()).toBe(true)

  expect(lostAfterMs).toBeLessThan(leaseMs)
})

it('is not led from the first moment after a freeze, and another takes over', async () => {
  let skippedMs = 0
  let isFrozen = false
  const frozen = run('thawed', 'frozen', {
    monotonic: () => performance.now() + skippedMs,
    sleep: (ms, signal) => systemClock.sleep(isFrozen ? FOR_EVER_MS : ms, signal),
  })
  await expect.poll(() => frozen.lease.isLeader()).toBe(true)

  isFrozen = true
  const next = run('thawed', 'next')
  await expect.poll(() => next.lease.isLeader()).toBe(true)
  skippedMs = LEASE_MS
  const isLeaderAfter = frozen.lease.isLeader()

  expect(isLeaderAfter).toBe(false)
  const { spec } = await client.get<Lease>(LEASE, 'thawed', 'default')
  expect(spec).toMatchObject({ holderIdentity: 'next', leaseTransitions: 1 })
})

it('is not led by one whose clock is wrong', async () => {
  const wrong = createKubeClient(
    await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }),
    { clock: { ...systemClock, now: () => Date.now() - 60_000 } },
  )
  onTestFinished(() => wrong.close())
  const told: string[] = []
  const lease = createLeaderLease({
    client: wrong,
    namespace: 'default',
    name: 'clock',
    identity: 'late',
    leaseMs: LEASE_MS,
    renewMs: RENEW_MS,
    retryMs: 200,
    onLead: () => told.push('leads'),
    onLost: () => {},
    onTrouble: ({ message }) => told.push(message),
  })
  onTestFinished(() => lease.stop())

  await expect.poll(() => told.length).toBeGreaterThan(1)

  expect(told[0]).toMatch(/^late does not lead: its clock differs by \d+ s/)
  expect(lease.isLeader()).toBe(false)
})
