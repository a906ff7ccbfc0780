import { type Kind, type KubeClient, KubeError, type KubeObject } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMemoryCluster } from '../../../../fixtures/peering/native/fake/memory-cluster.ts'
import type { BorrowedReservation } from '../../port/peering.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import { createLiqoObjects } from '../liqo/liqo-objects.ts'
import { createSlices } from './slices.ts'

const reservation: BorrowedReservation = { id: '1', provider: 'paris', resources: { cpu: '2' } }
const pair = { liqoId: 'liqo-paris', namespace: 'liqo-tenant-paris' }
const NAME = { name: 'res-1', namespace: pair.namespace }
const LIQOS = ['example.org/liqo']

/** rome's slices; its watches tell nothing before they are let. */
async function rome(more: (own: KubeClient) => Partial<KubeClient> = () => ({})) {
  const { client: own, all } = createMemoryCluster()
  const told = Promise.withResolvers<void>()
  const client: KubeClient = {
    ...own,
    async *watch<T extends KubeObject>(kind: Kind, options: object) {
      for await (const event of own.watch<T>(kind, options)) {
        await told.promise
        yield event
      }
    },
    ...more(own),
  }
  const clock = steppedClock()
  const objects = createLiqoObjects({ client, onTrouble() {}, clock })
  onTestFinished(async () => {
    told.resolve()
    await objects.stop()
  })
  await eventually('all is listed', () => objects.missing() === undefined)
  const settings = { sliceClass: 'default', drainTimeoutMs: 0, graceMs: 60_000 }
  const slices = createSlices({ client, objects, settings, clock })
  const left = () => [...all(LIQO.resourceSlice), ...all(LIQO.virtualNode)].map(({ kind }) => kind)
  const givenBack = () =>
    eventually('it is given back', async () => {
      const { isDone } = await slices.giveBack(reservation)
      if (!isDone) await clock.advance(5_000)
      return isDone
    })
  return { own, slices, clock, left, givenBack, tell: told.resolve }
}

describe('a slice that is given back', () => {
  it('is not gone for being unseen while the watches are behind', async () => {
    const { own, slices, tell, left, givenBack } = await rome()
    await slices.borrow(reservation, pair)
    await own.mergePatch(LIQO.resourceSlice, NAME, { metadata: { finalizers: LIQOS } })
    await own.create(LIQO.virtualNode, {
      apiVersion: 'offloading.liqo.io/v1beta1',
      kind: 'VirtualNode',
      metadata: NAME,
    })

    const first = await slices.giveBack(reservation)
    const second = await slices.giveBack(reservation)

    expect([first, second].map(({ isDone }) => isDone)).toEqual([false, false])
    await own.mergePatch(LIQO.resourceSlice, NAME, { metadata: { finalizers: [] } })
    tell()
    await givenBack()
    expect(left()).toEqual([])
  })

  it('is found although the answer to its creation was lost', async () => {
    const { slices, tell, left, givenBack } = await rome((own) => ({
      async create(kind, object) {
        await own.create(kind, object)
        throw new KubeError('cut off', { reason: 'TimedOut', mayHaveHappened: true })
      },
    }))
    await expect(slices.borrow(reservation, pair)).rejects.toThrow('cut off')

    const { isDone } = await slices.giveBack(reservation)

    expect(isDone).toBe(false)
    tell()
    await givenBack()
    expect(left()).toEqual([])
  })

  it('is waited for as long as the API server may still make it', async () => {
    const { own, slices, clock, tell, left, givenBack } = await rome(() => ({
      async create() {
        throw new KubeError('not answered', { reason: 'TimedOut', mayHaveHappened: true })
      },
    }))
    tell()
    await expect(slices.borrow(reservation, pair)).rejects.toThrow('not answered')
    await clock.advance(10_000)

    expect(await slices.giveBack(reservation)).toMatchObject({ isDone: false })
    await own.create(LIQO.resourceSlice, {
      apiVersion: 'authentication.liqo.io/v1beta1',
      kind: 'ResourceSlice',
      metadata: { ...NAME, labels: { 'liqo.io/replication': 'true' } },
    })

    await givenBack()
    expect(left()).toEqual([])
  })

  it('is there although its watch was refused once, as if there were no Liqo', async () => {
    let isRefused = false
    const { slices, tell, left, givenBack } = await rome((own) => ({
      watch(kind, options) {
        if (kind !== LIQO.resourceSlice || isRefused) return own.watch(kind, options)
        isRefused = true
        throw new KubeError('not found', { status: 404, reason: 'NotFound' })
      },
    }))
    tell()
    await slices.borrow(reservation, pair)

    const { isDone } = await slices.giveBack(reservation)

    expect(isDone).toBe(false)
    await givenBack()
    expect(left()).toEqual([])
  })
})
