import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConnection } from '../connection/load-connection.ts'
import {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
} from '../controller/finalizers.ts'
import { createEventRecorder } from '../events/event-recorder.ts'
import { EVENT } from '../objects/kinds.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'
import { createKubeClient } from './create-kube-client.ts'
import { isAlreadyExists, isConflict, isNotFound, KubeError } from './errors.ts'
import type { KubeClient } from './kube-client.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data?: Record<string, string> }

const controlPlane = useControlPlane()
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
})
afterAll(() => client.close())

function aConfigMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data }
}

function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (thrown) => thrown,
  )
}

describe('an object', () => {
  it('is created, read, replaced, patched, applied and deleted', async () => {
    const created = await client.create(CONFIG_MAP, aConfigMap('rome', { a: '1' }))
    const replaced = await client.replace(CONFIG_MAP, { ...created, data: { a: '2', b: '2' } })
    await client.mergePatch(CONFIG_MAP, replaced.metadata, { data: { a: null } })
    await client.apply(CONFIG_MAP, aConfigMap('rome', { c: '3' }), { fieldManager: 'test' })
    const read = await client.get<ConfigMap>(CONFIG_MAP, 'rome', 'default')
    await client.delete(CONFIG_MAP, read.metadata)

    const missing = await thrownBy(client.get(CONFIG_MAP, 'rome', 'default'))
    expect(read.data).toEqual({ b: '2', c: '3' })
    expect(isNotFound(missing)).toBe(true)
  })

  it('is protected by its version, its name and its uid', async () => {
    const first = await client.create(CONFIG_MAP, aConfigMap('paris'))
    await client.mergePatch(CONFIG_MAP, first.metadata, { data: { a: '1' } })
    const stale = { preconditions: { uid: 'another' } }

    const conflict = await thrownBy(client.replace(CONFIG_MAP, first))
    const twice = await thrownBy(client.create(CONFIG_MAP, aConfigMap('paris')))
    const other = await thrownBy(client.delete(CONFIG_MAP, first.metadata, stale))

    expect([isConflict(conflict), isAlreadyExists(conflict)]).toEqual([true, false])
    expect([isConflict(twice), isAlreadyExists(twice)]).toEqual([false, true])
    expect(isConflict(other)).toBe(true)
  })

  it('is refused with the fields that are wrong', async () => {
    const refused = await thrownBy(client.create(CONFIG_MAP, aConfigMap('Not_A_Name')))

    expect(refused).toBeInstanceOf(KubeError)
    expect(refused).toMatchObject({
      status: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.name' }],
    })
  })

  it('is held by its finalizer until that is removed', async () => {
    const finalizer = 'example.org/held'
    const ports = { client, kind: CONFIG_MAP }
    const created = await client.create(CONFIG_MAP, aConfigMap('madrid'))
    await client.mergePatch(CONFIG_MAP, created.metadata, { data: { moved: 'on' } })

    const held = await addFinalizer(ports, created, finalizer)
    await client.delete(CONFIG_MAP, held.metadata)
    const leaving = await client.get<ConfigMap>(CONFIG_MAP, 'madrid', 'default')
    await removeFinalizer(ports, created, finalizer)
    await removeFinalizer(ports, leaving, finalizer)

    expect([hasFinalizer(held, finalizer), isBeingDeleted(leaving)]).toEqual([true, true])
    expect(isNotFound(await thrownBy(client.get(CONFIG_MAP, 'madrid', 'default')))).toBe(true)
  })
})

describe('access', () => {
  it('is refused with the name of who asked', async () => {
    const kubeconfig = await controlPlane().kubeconfigFor({ user: 'stranger' })
    const stranger = createKubeClient(await loadConnection({ kubeconfig }))
    onTestFinished(() => stranger.close())

    const refused = await thrownBy(stranger.list(CONFIG_MAP))

    expect(refused).toMatchObject({ status: 403, reason: 'Forbidden' })
    expect(String(refused)).toContain('User "stranger" cannot list resource "configmaps"')
  })
})

describe('events', () => {
  it('are written once, and count their repetitions', async () => {
    const object = await client.create(CONFIG_MAP, aConfigMap('berlin'))
    const { name, namespace, uid } = object.metadata
    const regarding = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace, uid }
    const recorder = createEventRecorder({
      client,
      controller: 'example.org/test',
      instance: 'test-1',
      onTrouble: ({ message }) => expect.unreachable(message),
    })
    const note = { regarding, type: 'Normal', reason: 'Seen', action: 'See' } as const

    recorder.record({ ...note, note: 'It was seen.' })
    await expect.poll(() => eventsOf(name)).toHaveLength(1)
    recorder.record({ ...note, note: 'It was seen.' })
    recorder.record({ ...note, note: 'It was seen.' })
    recorder.record({ ...note, type: 'Warning', note: 'ü'.repeat(2_000) })
    await recorder.stop()

    const events = await eventsOf(name)
    expect(events.map(({ type, series }) => [type, series?.count]).sort()).toEqual([
      ['Normal', 3],
      ['Warning', undefined],
    ])
    expect(await controlPlane().kubectl(['describe', 'configmap', name])).toContain('It was seen.')
  })
})

type Event = KubeObject & { regarding: { name: string }; type: string; series?: { count: number } }

async function eventsOf(name: string): Promise<Event[]> {
  const { items } = await client.list<Event>(EVENT, { namespace: 'default' })
  return items.filter(({ regarding }) => regarding.name === name)
}
