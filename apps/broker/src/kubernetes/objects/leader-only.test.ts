import type { Kind, KubeClient } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { NotLeading, workingAsLeader, writingAsLeader } from './leader-only.ts'

const kind: Kind = { group: 'g', version: 'v1', plural: 'ks', kind: 'K', namespaced: true }
const ref = { name: 'one', namespace: 'default' }
const NOT_LEADING = 'Another broker may lead.'

describe('a broker that another one may have replaced', () => {
  it('reads, and writes nothing', async () => {
    const { client, calls, oust } = aClient()
    await client.delete(kind, ref)

    oust()

    await expect(client.delete(kind, ref)).rejects.toThrow(NotLeading)
    await expect(client.mergePatch(kind, ref, {})).rejects.toThrow(NOT_LEADING)
    await expect(
      client.create(kind, { apiVersion: 'g/v1', kind: 'K', metadata: ref }),
    ).rejects.toThrow(NOT_LEADING)
    await expect(client.apply(kind, { metadata: ref }, { fieldManager: 'broker' })).rejects.toThrow(
      NOT_LEADING,
    )
    await client.get(kind, 'one')
    expect(calls).toEqual(['delete', 'get'])
  })

  it('puts its work off, and does it once it leads for sure', async () => {
    let why: string | undefined = NOT_LEADING
    const done: string[] = []
    const work = workingAsLeader(
      async (key) => {
        done.push(key)
        return undefined
      },
      () => why,
    )
    const { signal } = new AbortController()

    expect(await work('rome', signal)).toEqual({ againAfterMs: 250 })
    why = undefined
    expect(await work('rome', signal)).toBeUndefined()

    expect(done).toEqual(['rome'])
  })
})

function aClient() {
  const calls: string[] = []
  let why: string | undefined
  const noting = (name: string) => async () => void calls.push(name)
  // Only what these tests call.
  const real = Object.fromEntries(
    ['get', 'create', 'mergePatch', 'apply', 'delete'].map((name) => [name, noting(name)]),
  ) as unknown as KubeClient
  const client = writingAsLeader(real, () => why)
  const oust = () => {
    why = NOT_LEADING
  }
  return { client, calls, oust }
}
