import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hurriedClock } from '@bourse/testkit/clock'
import { fixedConnection } from '@bourse/testkit/fixed-connection'
import { aList, aLiveWatch, anObject, aRefusal, aWatch } from '@bourse/testkit/scripted-api-server'
import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { useApiServerCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'
import { createReflector } from './reflector.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data: { value: string } }

const rome = { name: 'rome', version: '5' }
const quiet = aWatch([], 'stay')

const told = (version: string, value: string) =>
  ({ type: 'MODIFIED', object: { ...rome, version, value } }) as const
const answer = (version: string, value: string) => anObject({ ...rome, version, value })

const certPath = useApiServerCertificates()

/** A reflector that has seen rome at version 5 and follows a watch that the test plays. */
async function followRome(...then: Scene[]) {
  const watch = aLiveWatch()
  const script = await playBroker(certPath(), [aList('7', [rome]), watch.scene, ...then])
  const read = (name: string) => readFileSync(join(certPath(), name), 'utf8')
  const [ca, cert, key] = [read('ca.crt'), read('tls.crt'), read('tls.key')]
  const clock = hurriedClock(1_000)
  const connection = fixedConnection({ server: script.url, ca, cert, key })
  const client = createKubeClient(connection, { clock })
  const news: string[] = []
  const reflector = createReflector<string, ConfigMap>({
    client,
    kind: CONFIG_MAP,
    clock,
    decode: ({ data }) => data.value,
    on: {
      changed: (item, before, key) => news.push(`~ ${key} ${before} → ${item}`),
      removed: (last, key) => news.push(`- ${key} ${last}`),
    },
    // In a hurry as all the rest: half a minute for people.
    stallMs: 30_000_000,
  })
  onTestFinished(async () => {
    await reflector.stop()
    await client.close()
    await script.close()
  })
  await reflector.synced
  return {
    reflector,
    watch,
    news: () => news,
    seen: () => reflector.get('default/rome'),
    upTo: (version: string) => expect.poll(() => reflector.resourceVersion()).toBe(version),
  }
}

describe('an answer to a write of ours', () => {
  it('counts at once, and is not reported again by the watch', async () => {
    const { reflector, watch, news, upTo } = await followRome()
    await watch.tell({ type: 'BOOKMARK', version: '8' })
    await upTo('8')

    reflector.note(answer('10', 'ours'))
    const atOnce = [...news()]
    await watch.tell(told('9', 'from before'), told('10', 'ours'), told('11', 'theirs'))
    await upTo('11')

    expect(atOnce).toEqual(['~ default/rome rome → ours'])
    expect(news()).toEqual([...atOnce, '~ default/rome ours → theirs'])
  })

  it.each([
    { name: 'a write that the watch has told of', of: answer('9', 'ours') },
    { name: 'another object of the same name', of: anObject({ ...rome, version: '12', uid: 'x' }) },
    { name: 'what was never seen', of: anObject({ name: 'berlin', version: '12' }) },
    { name: 'a version that says nothing', of: answer('x12', 'ours') },
  ])('is nothing new if it is about $name', async ({ of }) => {
    const { reflector, watch, news, upTo } = await followRome()
    await watch.tell(told('10', 'theirs'))
    await upTo('10')

    reflector.note(of)

    expect(news()).toEqual(['~ default/rome rome → theirs'])
    expect(reflector.size()).toBe(1)
  })

  it('does not bring back what is gone', async () => {
    const { reflector, watch, news, upTo } = await followRome()
    await watch.tell({ type: 'DELETED', object: { ...rome, version: '10' } })
    await upTo('10')

    reflector.note(answer('9', 'ours'))

    expect(news()).toEqual(['- default/rome rome'])
  })

  it('does not hide another object of the same name', async () => {
    const { reflector, watch, seen, upTo } = await followRome()
    await watch.tell({ type: 'BOOKMARK', version: '8' })
    await upTo('8')

    reflector.note(answer('90', 'ours'))
    await watch.tell(
      { type: 'DELETED', object: { ...rome, version: '91' } },
      { type: 'ADDED', object: { ...rome, version: '9', uid: 'another', value: 'reborn' } },
      { type: 'MODIFIED', object: { ...rome, version: '10', uid: 'another', value: 'grown' } },
    )
    await upTo('10')

    expect(seen()).toBe('grown')
  })
})

describe('versions that went back', () => {
  it('are heard by the next watch, after any earlier write', async () => {
    const next = aLiveWatch()
    const { reflector, watch, seen, upTo } = await followRome(next.scene)
    await watch.tell({ type: 'BOOKMARK', version: '8' })
    await upTo('8')

    reflector.note(answer('90', 'ours'))
    await watch.close()
    await next.tell(told('9', 'restored'))
    await upTo('9')

    expect(seen()).toBe('restored')
  })

  it('are heard by the next list, after any earlier write', async () => {
    const again = aList('4', [{ ...rome, version: '3', value: 'restored' }])
    const { reflector, watch, seen, upTo } = await followRome(
      aRefusal(410, 'Expired'),
      again,
      quiet,
    )
    await watch.tell({ type: 'BOOKMARK', version: '8' })
    await upTo('8')

    reflector.note(answer('90', 'ours'))
    await watch.close()
    await upTo('4')

    expect(seen()).toBe('restored')
  })
})
