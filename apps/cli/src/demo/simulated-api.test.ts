import { isAlreadyExists, isConflict, type KubeObject } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { createSimulatedApi } from './simulated-api.ts'

const KIND = { group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true }
const thing = (name: string, finalizers: string[] = []): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', finalizers },
})

describe('the API server of a simulated cluster', () => {
  it('refuses a second object of the same name, and a change to a version long gone', async () => {
    const { client } = createSimulatedApi()
    const first = await client.create(KIND, thing('a'))
    await client.mergePatch(KIND, first.metadata, { status: { phase: 'Ready' } })

    const again = client.create(KIND, thing('a'))
    const late = client.replace(KIND, first)

    expect(await again.catch(isAlreadyExists)).toBe(true)
    expect(await late.catch(isConflict)).toBe(true)
  })

  it('keeps what has a finalizer until that is taken off', async () => {
    const { client } = createSimulatedApi()
    const { metadata } = await client.create(KIND, thing('a', ['hold']))

    await client.delete(KIND, metadata)

    expect((await client.list(KIND)).items).toHaveLength(1)
    await client.mergePatch(KIND, metadata, { metadata: { finalizers: [] } })
    expect((await client.list(KIND)).items).toEqual([])
  })

  it('tells watchers what is there, then what changes', async () => {
    const { client } = createSimulatedApi()
    await client.create(KIND, thing('a'))
    const end = new AbortController()
    const heard: string[] = []

    for await (const event of client.watch(KIND, { sendInitialEvents: true, signal: end.signal })) {
      heard.push(
        event.type === 'BOOKMARK' ? 'all told' : `${event.type} ${event.object.metadata.name}`,
      )
      if (heard.length === 2) await client.create(KIND, thing('b'))
      if (heard.length === 3) end.abort()
    }

    expect(heard).toEqual(['ADDED a', 'all told', 'ADDED b'])
  })
})
