import { isNotFound, type KubeClient } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { connectAgent, looseKind } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createMortal, type Death, type Mortal } from '../../../../fixtures/borrowing/mortal.ts'
import {
  aGranting,
  asks,
  type Known,
} from '../../../../fixtures/peering/native/granting/granting.ts'
import { NAMESPACE, SECRET } from '../../../kubernetes/kinds.ts'
import type { HeldReservation } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import { liqoTenantNamespace } from '../liqo/liqo-tenant.ts'
import { type ResourceSlice, sliceCondition } from '../liqo/resource-slice.ts'
import type { Granting } from './granting.ts'

const controlPlane = useControlPlane()
const LIQO_TENANT_NAMESPACE = 'liqo-tenant-rome-liqo'
const USER = 'res-rsv-1-8930a094bab8'
const { signal } = new AbortController()
const aReservation = (more: Partial<HeldReservation> = {}): HeldReservation => ({
  id: 'rsv-1',
  requester: 'rome',
  resources: { cpu: 2_000n, memory: 4n * 1024n ** 3n, 'nvidia.com/gpu': 1n },
  ...more,
})

let liqo: KubeClient
let agent: KubeClient
let known: Known
let running: Granting | undefined

/** A provider's cluster with Liqo's kinds and without Liqo: the test plays its part. */
beforeAll(async () => {
  const { kubectl } = controlPlane()
  const items = [LIQO.resourceSlice, LIQO.quota, LIQO.shadowPod, LIQO.tenant].map(looseKind)
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  await kubectl(['apply', '--filename=-'], list)
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  ;({ admin: liqo, agent } = await connectAgent(controlPlane()))
  await liqo.create(NAMESPACE, liqoTenantNamespace('rome-liqo', 'rome'))
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  for (const kind of [LIQO.resourceSlice, LIQO.quota, LIQO.shadowPod, SECRET, LIQO.tenant])
    for (const { metadata } of (await liqo.list(kind, { namespace: LIQO_TENANT_NAMESPACE })).items)
      await liqo.delete(kind, metadata)
})
afterAll(async () => {
  await Promise.all([liqo?.close(), agent?.close()])
})

async function begin(held: HeldReservation[], graceMs?: number) {
  known = { held, isKnown: true, aheadMs: 0 }
  const all = aGranting(agent, known, graceMs)
  running = all.granting
  await running.start()
  return all
}

const sliceNow = (name = 'res-rsv-1') =>
  liqo.get<ResourceSlice>(LIQO.resourceSlice, name, LIQO_TENANT_NAMESPACE)

const judged = (status: 'Accepted' | 'Denied', reason: string, name?: string) =>
  eventually(
    `the slice is ${status}: ${reason}`,
    async () => {
      const slice = await sliceNow(name)
      const said = sliceCondition(slice, 'Resources')
      return said?.status === status && said.reason === reason ? slice : undefined
    },
    60_000,
  )

const isThere = (kind: typeof LIQO.quota, name: string) =>
  liqo.get(kind, name, LIQO_TENANT_NAMESPACE).then(
    () => true,
    (thrown) => {
      if (isNotFound(thrown)) return false
      throw thrown
    },
  )
const absent = (what: string, kind: typeof LIQO.quota, name: string) =>
  eventually(`${what} is gone`, async () => !(await isThere(kind, name)), 60_000)

/** What Liqo makes of a grant, and the requester of that. */
async function runsAPod(): Promise<void> {
  const type = (kind: string) => ({ apiVersion: 'offloading.liqo.io/v1beta1', kind })
  const metadata = { name: USER, namespace: LIQO_TENANT_NAMESPACE }
  await liqo.create(LIQO.quota, { ...type('Quota'), metadata })
  for (const [name, user] of [
    ['web', USER],
    ['other', 'res-rsv-2-8930a094bab8'],
  ])
    await liqo.create(LIQO.shadowPod, {
      ...type('ShadowPod'),
      metadata: {
        name: name ?? '',
        namespace: LIQO_TENANT_NAMESPACE,
        labels: { 'liqo.io/creator-user': user ?? '' },
      },
    })
}

describe('a slice with a reservation', () => {
  it('is granted what is reserved, and its node is marked with the reservation', async () => {
    const { judgements, changed } = await begin([aReservation()])

    await asks(liqo, 'res-rsv-1', { cpu: '8', memory: '4Gi' })

    const { status } = await judged('Accepted', 'Capped')
    expect(status?.resources).toEqual({
      cpu: '2',
      memory: '4Gi',
      'nvidia.com/gpu': '1',
      pods: '110',
    })
    expect(status?.nodeLabels).toEqual({
      'bourse.dev/reservation': 'rsv-1',
      'topology.example.org/site': 'paris',
    })
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Authentication', 'Resources'])
    await eventually('it is counted', async () => judgements.length > 0)
    expect(judgements).toEqual([{ result: 'granted', reason: 'Capped' }])
    expect(changed).toEqual(['rsv-1'])
  })

  it('waits for Liqo to sign, and for the instructions to be read', async () => {
    const { granting } = await begin([aReservation()])
    known.isKnown = false

    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    const before = await granting.revoke(aReservation(), signal)
    known.isKnown = true

    expect(before.isDone).toBe(false)
    await judged('Accepted', 'Granted')
  })

  it('follows a reservation that is resized', async () => {
    const { granting } = await begin([aReservation()])
    await asks(liqo, 'res-rsv-1', { cpu: '8' })
    await judged('Accepted', 'Capped')

    const larger = aReservation({ resources: { cpu: 8_000n } })
    known.held = [larger]
    await granting.grant(larger)

    await judged('Accepted', 'Granted')
    expect((await sliceNow()).status?.resources).toEqual({
      cpu: '8',
      pods: '110',
      // Reserved before, and no longer.
      memory: '0',
      'nvidia.com/gpu': '0',
    })
    await eventually('the instruction says so', async () => {
      const { steps } = await granting.grant(larger)
      return steps.some(({ type, status }) => type === 'SliceAccepted' && status === 'True')
    })
  })

  it('is reset to what is reserved when another user writes more', async () => {
    await begin([aReservation()])
    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    const slice = await judged('Accepted', 'Granted')

    const status = { ...slice.status, resources: { cpu: '500' } }
    await liqo.mergePatch(LIQO.resourceSlice, slice.metadata, { status }, { subresource: 'status' })

    await eventually('it is two again', async () => {
      const { resources } = (await sliceNow()).status ?? {}
      return resources?.cpu === '2' && resources.memory === '4Gi'
    })
  })
})

describe('a slice without one', () => {
  it('is denied, and granted as soon as there is one', async () => {
    const { granting, judgements } = await begin([])
    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Denied', 'NoReservation')

    known.held = [aReservation()]
    await granting.grant(aReservation())

    await judged('Accepted', 'Granted')
    expect(judgements).toContainEqual({ result: 'denied', reason: 'NoReservation' })
  })

  it('is denied at once although another user wrote that it is granted, and its Quota goes', async () => {
    const slice = await asks(liqo, 'res-rsv-1', { cpu: '500' })
    const conditions = [
      ...(slice.status?.conditions ?? []),
      { type: 'Resources', status: 'Accepted', reason: 'SelfMade' },
    ]
    const status = { resources: { cpu: '500' }, conditions }
    await liqo.mergePatch(LIQO.resourceSlice, slice.metadata, { status }, { subresource: 'status' })
    await runsAPod()

    await begin([])

    await judged('Denied', 'NoReservation')
    await absent('the Quota', LIQO.quota, USER)
  })

  it('is denied while an operator has cordoned its tenant', async () => {
    await liqo.create(LIQO.tenant, {
      apiVersion: 'authentication.liqo.io/v1beta1',
      kind: 'Tenant',
      metadata: { name: 'rome-liqo', namespace: LIQO_TENANT_NAMESPACE },
      spec: { tenantCondition: 'Cordoned' },
    })
    await begin([aReservation()])

    await asks(liqo, 'res-rsv-1', { cpu: '2' })

    await judged('Denied', 'TenantCordoned')
  })

  it('is left to others if it is of their class', async () => {
    await begin([aReservation()])

    await asks(liqo, 'res-rsv-2', { cpu: '2' }, { sliceClass: 'gold' })
    await asks(liqo, 'res-rsv-1', { cpu: '2' })

    await judged('Accepted', 'Granted')
    expect(sliceCondition(await sliceNow('res-rsv-2'), 'Resources')).toBeUndefined()
  })
})

describe('at the end of a reservation', () => {
  it('no new pods are let in, and after a grace those that run are removed', async () => {
    const expiresAt = Date.now() + 3_600_000
    const { granting } = await begin([aReservation({ expiresAt })], 1_000)
    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Accepted', 'Granted')
    await runsAPod()

    known.aheadMs = 3_600_000
    const early = await granting.revoke(aReservation({ expiresAt }), signal)

    expect(early.isDone).toBe(false)
    await eventually('it is cordoned', async () => {
      const { annotations } = (await sliceNow()).metadata
      return annotations?.['liqo.io/cordon'] === 'true'
    })
    await judged('Denied', 'ReservationExpired')
    await absent('its pod', LIQO.shadowPod, 'web')
    await absent('its Quota', LIQO.quota, USER)
    expect(await isThere(LIQO.shadowPod, 'other')).toBe(true)
    await expect
      .poll(() => granting.revoke(aReservation({ expiresAt }), signal))
      .toMatchObject({ isDone: true })
  })

  it('is uncordoned when it is renewed within the grace', async () => {
    const expiresAt = Date.now() + 3_600_000
    const { granting } = await begin([aReservation({ expiresAt })])
    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Accepted', 'Granted')
    known.aheadMs = 3_600_000
    await granting.revoke(aReservation({ expiresAt }), signal)
    await eventually('it is cordoned', async () => (await sliceNow()).metadata.annotations)

    known.held = [aReservation({ expiresAt: expiresAt + 3_600_000 })]
    await granting.grant(aReservation({ expiresAt }))

    await eventually('it is not any more', async () => !(await sliceNow()).metadata.annotations)
    expect(sliceCondition(await sliceNow(), 'Resources')?.status).toBe('Accepted')
  })

  it('takes nothing back whose instruction alone was deleted', async () => {
    const { granting } = await begin([aReservation()])
    await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Accepted', 'Granted')

    const progress = await granting.revoke(aReservation(), signal)

    expect(progress.isDone).toBe(true)
    expect((await sliceNow()).metadata.annotations).toBeUndefined()
  })

  it('removes what Liqo leaves of a slice that its requester has deleted', async () => {
    const { granting } = await begin([aReservation()])
    const { metadata } = await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Accepted', 'Granted')
    await runsAPod()

    await liqo.delete(LIQO.resourceSlice, metadata)
    await absent('the certificate', SECRET, 'liqo-remote-certificate-res-rsv-1')
    known.held = []

    await expect.poll(() => granting.revoke(aReservation(), signal)).toMatchObject({ isDone: true })
    expect(await isThere(LIQO.shadowPod, 'web')).toBe(false)
    expect(await isThere(LIQO.quota, USER)).toBe(false)
  })
})

describe('an agent that is killed between any two of its steps', () => {
  /** Granted, ended and taken back; when one dies, another takes over where it left off. */
  async function walk(death: Death): Promise<Mortal<object>> {
    const mortal = createMortal(agent, {}, death)
    known = { held: [aReservation()], isKnown: true, aheadMs: 0 }
    running = aGranting(mortal.client, known, 50).granting
    await running.start()
    const succeeded = mortal.died.then(async () => {
      await running?.stop()
      running = aGranting(agent, known, 50).granting
      await running.start()
    })

    const { metadata } = await asks(liqo, 'res-rsv-1', { cpu: '2' })
    await judged('Accepted', 'Granted')
    await runsAPod()
    known.held = []
    await takenBack()
    await judged('Denied', 'ReservationOver')
    await liqo.delete(LIQO.resourceSlice, metadata)
    await absent('the certificate', SECRET, 'liqo-remote-certificate-res-rsv-1')

    if (mortal.isDead()) await succeeded
    expect(await isThere(LIQO.shadowPod, 'web')).toBe(false)
    expect(await isThere(LIQO.quota, USER)).toBe(false)
    await liqo.delete(LIQO.shadowPod, { name: 'other', namespace: LIQO_TENANT_NAMESPACE })
    await running?.stop()
    // It may have died only now: then another took over, and is the one that runs.
    if (mortal.isDead()) await succeeded
    await running?.stop()
    return mortal
  }

  /** As an instruction does, until it may go; a fault is tried again. */
  const takenBack = () =>
    eventually(
      'it is taken back',
      () =>
        running?.revoke(aReservation(), signal).then(
          ({ isDone }) => isDone,
          () => false,
        ) ?? false,
      60_000,
    )

  it.each(['before', 'after'] as const)(
    '%s each of them: all of it is taken back',
    async (when) => {
      const deeds: string[] = []
      for (let at = 1, isDead = true; isDead; at++) {
        const mortal = await walk({ at, when }).catch((cause) => {
          throw new Error(`It dies ${when} deed ${at}`, { cause })
        })
        isDead = mortal.isDead()
        deeds.splice(0, deeds.length, ...mortal.deeds)
      }
      expect(deeds).toEqual(
        expect.arrayContaining([
          ...['mergePatch ResourceSlice', 'delete Quota', 'delete ShadowPod', 'delete Secret'],
        ]),
      )
    },
  )
})
