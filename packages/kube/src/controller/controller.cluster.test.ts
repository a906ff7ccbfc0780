import { eventually } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { loadConnection } from '../connection/load-connection.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'
import { createReflector } from '../reflector/reflector.ts'
import { type ControllerOptions, createController } from './controller.ts'

type Status = {
  shown?: string
  note?: string
  narrow?: Record<string, string>
}
type Widget = KubeObject<{ wanted: string }, Status>
type Options = ControllerOptions<Widget, Status>

const WIDGET: Kind = {
  group: 'example.org',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
}
const CRD: Kind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
/** Of this the server keeps what its schema knows. */
const narrow = { type: 'object', properties: { known: { type: 'string' } } }
const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: anything,
              status: { ...anything, properties: { narrow } },
            },
          },
        },
      },
    ],
  },
}

const controlPlane = useControlPlane()
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
  await client.create(CRD, widgets)
  const isServed = () =>
    client.list(WIDGET).then(
      () => true,
      () => undefined,
    )
  await eventually('widgets are served', isServed, 60_000)
})
afterAll(() => client.close())

function aWidget(name: string, wanted: string): Widget {
  const metadata = { name, namespace: 'default' }
  return { apiVersion: 'example.org/v1', kind: 'Widget', metadata, spec: { wanted } }
}

/** A controller that counts what it writes. */
function control(
  options: Partial<Options> & Pick<Options, 'reconcile'>,
  { watch }: Pick<KubeClient, 'watch'> = client,
) {
  let writes = 0
  const troubles: string[] = []
  const counting: Options['client'] = {
    mergePatch(...patch) {
      writes++
      return client.mergePatch(...patch)
    },
  }
  const reflector = createReflector<Widget, Widget>({
    client: { ...client, watch },
    kind: WIDGET,
    decode: (it) => it,
  })
  const controller = createController<Widget, Status>({
    client: counting,
    reflector,
    show: (widget) => widget,
    onTrouble: (error, key) => troubles.push(`${key}: ${error.message}`),
    backoff: { baseMs: 20, capMs: 100 },
    ...options,
  })
  onTestFinished(async () => {
    await controller.stop()
    await reflector.stop()
    for (const key of reflector.keys()) {
      const [namespace, name = ''] = key.split('/')
      await client.delete(WIDGET, { name, namespace })
    }
  })
  return { controller, reflector, writes: () => writes, troubles }
}

/** A watch that is slow for good: of changes it tells nothing. */
const withoutChanges: KubeClient['watch'] = async function* <T extends KubeObject>(
  ...asked: Parameters<KubeClient['watch']>
) {
  for await (const event of client.watch<T>(...asked)) if (event.type !== 'MODIFIED') yield event
}

async function statusOf(name: string): Promise<Status | undefined> {
  return (await client.get<Widget>(WIDGET, name, 'default')).status
}

const showWanted: Options['reconcile'] = async ({ spec }) => ({
  status: spec?.wanted === 'b' ? { shown: 'b' } : { shown: spec?.wanted ?? '', note: 'not b' },
})

describe('a controller', () => {
  it('writes a status once and only on change, and nulls what went', async () => {
    const { controller, writes } = control({ reconcile: showWanted })

    const { metadata } = await client.create(WIDGET, aWidget('rome', 'a'))
    await expect.poll(() => statusOf('rome')).toEqual({ shown: 'a', note: 'not b' })
    await client.mergePatch(WIDGET, metadata, { metadata: { labels: { seen: 'yes' } } })
    controller.enqueueAll()
    await expect.poll(() => controller.size()).toBe(0)
    const writesBefore = writes()
    await client.mergePatch(WIDGET, metadata, { spec: { wanted: 'b' } })

    await expect.poll(() => statusOf('rome')).toEqual({ shown: 'b' })
    expect([writesBefore, writes()]).toEqual([1, 2])
  })

  it('says what it has written, once it is', async () => {
    const told: unknown[] = []
    const { controller } = control({
      reconcile: showWanted,
      written: (before, status) => told.push([before.status, status]),
    })

    const { metadata } = await client.create(WIDGET, aWidget('milan', 'b'))
    await expect.poll(() => statusOf('milan')).toEqual({ shown: 'b' })
    await client.mergePatch(WIDGET, metadata, { metadata: { labels: { seen: 'yes' } } })
    controller.enqueueAll()
    await expect.poll(() => controller.size()).toBe(0)

    expect(told).toEqual([[undefined, { shown: 'b' }]])
  })

  it('sees its own write at the next turn, before its watch delivers it', async () => {
    let looks = 0
    const { controller, writes } = control(
      {
        async reconcile({ status }) {
          looks++
          return { status: status ?? { shown: `at look ${looks}` } }
        },
      },
      { watch: withoutChanges },
    )

    await client.create(WIDGET, aWidget('lisbon', 'a'))
    await expect.poll(() => looks).toBe(2)
    controller.enqueueAll()
    await expect.poll(() => controller.size()).toBe(0)

    expect(await statusOf('lisbon')).toEqual({ shown: 'at look 1' })
    expect([looks, writes()]).toEqual([3, 1])
  })

  it('does not write again what the server leaves out', async () => {
    const { controller, writes } = control({
      reconcile: async () => ({ status: { narrow: { known: 'yes', unknown: 'no' } } }),
    })
    await client.create(WIDGET, aWidget('oslo', 'a'))
    await expect.poll(() => statusOf('oslo')).toEqual({ narrow: { known: 'yes' } })

    controller.enqueueAll()
    await expect.poll(() => controller.size()).toBe(0)

    expect(writes()).toBe(1)
  })

  it('reads again and tries again when its status collides', async () => {
    let isFirst = true
    const { troubles } = control({
      statusWriting: { withVersion: true },
      async reconcile({ metadata, spec }) {
        const patch = { metadata: { labels: { changed: 'meanwhile' } } }
        if (isFirst) await client.mergePatch(WIDGET, metadata, patch)
        isFirst = false
        return { status: { shown: spec?.wanted ?? '' } }
      },
    })

    await client.create(WIDGET, aWidget('madrid', 'a'))

    await expect.poll(() => statusOf('madrid')).toEqual({ shown: 'a' })
    expect(troubles).toEqual([])
  })

  it('continues with the others when one fails, and retries that one', async () => {
    let failures = 0
    const { troubles } = control({
      async reconcile(widget, turn) {
        if (widget.metadata.name === 'bad' && failures++ < 2) throw new Error('not yet')
        return showWanted(widget, turn)
      },
    })

    await client.create(WIDGET, aWidget('bad', 'a'))
    await client.create(WIDGET, aWidget('good', 'a'))

    await expect.poll(() => statusOf('good')).toMatchObject({ shown: 'a' })
    await expect.poll(() => statusOf('bad')).toMatchObject({ shown: 'a' })
    expect(troubles).toEqual(['default/bad: not yet', 'default/bad: not yet'])
  })

  it('is told of a deleted object until it succeeds, and reconciles on request', async () => {
    const told: string[] = []
    let looks = 0
    control({
      async reconcile() {
        looks++
        return { againAfterMs: looks < 3 ? 10 : undefined }
      },
      async gone({ metadata }) {
        told.push(metadata.name)
        if (told.length === 1) throw new Error('not yet')
      },
    })
    const { metadata } = await client.create(WIDGET, aWidget('berlin', 'a'))
    await expect.poll(() => looks).toBe(3)

    await client.delete(WIDGET, metadata)

    await expect.poll(() => told).toEqual(['berlin', 'berlin'])
    expect(looks).toBe(3)
  })
})
