import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hurriedClock } from '@bourse/testkit/clock'
import { fixedConnection } from '@bourse/testkit/fixed-connection'
import { aList, aRefusal, aWatch } from '@bourse/testkit/scripted-api-server'
import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { useApiServerCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKubeClient } from '../client/create-kube-client.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'
import { createReflector, type Listener } from './reflector.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
type ConfigMap = KubeObject & { data: { value: string } }

/** In a hurry three seconds, and for those that are not to stall an hour. */
const STALL_MS = 3_000_000
const NEVER_MS = 3_600_000_000

const certPath = useApiServerCertificates()

type Options = Readonly<{ on?: Listener<string>; isStreamed?: true; stallMs?: number }>

/** A reflector of an API server that follows the script, a thousand times faster than usual. */
async function reflect(
  scenes: readonly [Scene, ...Scene[]],
  { on, isStreamed, stallMs = NEVER_MS }: Options = {},
) {
  const script = await playBroker(certPath(), scenes)
  const read = (name: string) => readFileSync(join(certPath(), name), 'utf8')
  const [ca, cert, key] = [read('ca.crt'), read('tls.crt'), read('tls.key')]
  const client = createKubeClient(fixedConnection({ server: script.url, ca, cert, key }), {
    clock: hurriedClock(1_000),
  })
  const clock = hurriedClock(1_000)
  const news: string[] = []
  const troubles: string[] = []
  const reflector = createReflector<string, ConfigMap>({
    client,
    kind: CONFIG_MAP,
    decode,
    on: {
      added: (item, key) => news.push(`+ ${key} ${item}`),
      changed: (item, before, key) => news.push(`~ ${key} ${before} → ${item}`),
      removed: (last, key) => news.push(`- ${key} ${last}`),
      synced: () => news.push('synced'),
      ...on,
    },
    ...(isStreamed && { isStreamed }),
    stallMs,
    onTrouble: ({ message }) => troubles.push(message),
    clock,
  })
  onTestFinished(async () => {
    await reflector.stop()
    await client.close()
    await script.close()
  })
  const heard = () => script.heard.map(({ line }) => shortened(line))
  return { reflector, news, troubles, heard, clock }
}

function decode({ data }: ConfigMap): string | undefined {
  if (data.value === 'broken') throw new Error('it is broken')
  return data.value === 'dull' ? undefined : data.value
}

/** `list`, `stream` or `watch 7`: what of a request matters here. */
function shortened(line: string): string {
  const query = new URL(line.split(' ')[1] ?? '', 'https://host').searchParams
  if (query.has('sendInitialEvents')) return `stream ${query.get('resourceVersionMatch')}`
  if (query.has('watch')) return `watch ${query.get('resourceVersion')}`
  return query.has('continue') ? `list on ${query.get('continue')}` : 'list'
}

const rome = { name: 'rome', version: '5' }
const paris = { name: 'paris', version: '6' }
const quiet = aWatch([], 'stay')

describe('a reflector', () => {
  it('keeps what is decoded of a list and of what follows', async () => {
    const { reflector, news } = await reflect([
      aList('7', [rome, { ...paris, value: 'dull' }]),
      aWatch(
        [
          { type: 'ADDED', object: { name: 'berlin', version: '8' } },
          { type: 'MODIFIED', object: { name: 'rome', version: '9', value: 'eternal' } },
          { type: 'MODIFIED', object: { name: 'berlin', version: '10', value: 'dull' } },
          { type: 'DELETED', object: { name: 'rome', version: '11' } },
          { type: 'BOOKMARK', version: '20' },
        ],
        'stay',
      ),
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('20')

    expect(news).toEqual([
      '+ default/rome rome',
      'synced',
      '+ default/berlin berlin',
      '~ default/rome rome → eternal',
      '- default/berlin berlin',
      '- default/rome eternal',
    ])
    expect(reflector.size()).toBe(0)
  })

  it('resumes where it was when the connection drops in the middle of a line', async () => {
    const { reflector, heard, troubles } = await reflect([
      aList('7', [rome]),
      aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '8' } }], 'cut'),
      aWatch([{ type: 'ADDED', object: { name: 'madrid', version: '9' } }], 'stay'),
    ])

    await expect.poll(() => reflector.size()).toBe(3)

    expect(heard()).toEqual(['list', 'watch 7', 'watch 8'])
    expect(troubles).toEqual([expect.stringContaining('cannot be reached')])
  })

  it('waits as long as a 429 on the watch says, and then resumes', async () => {
    const { reflector, heard, clock } = await reflect([
      aList('7', [rome]),
      aRefusal(429, 'TooManyRequests', { 'retry-after': '20' }),
      aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '8' } }], 'stay'),
    ])

    await expect.poll(() => reflector.size()).toBe(2)

    expect(heard()).toEqual(['list', 'watch 7', 'watch 7'])
    expect(clock.sleeps).toContain(20_375) // 20 s + backoff: 250 + 0.5 · 250
  })

  it('lists again after a 503 on the list', async () => {
    const { reflector, heard, news } = await reflect([
      ...(Array(6).fill(aRefusal(503, 'ServiceUnavailable')) as [Scene]),
      aList('7', [rome]),
      quiet,
    ])

    await reflector.synced

    expect(heard().slice(0, 7)).toEqual(Array(7).fill('list'))
    expect(news).toEqual(['+ default/rome rome', 'synced'])
  })

  it('lists again on 410 in the stream, and removes what is gone', async () => {
    const { reflector, news, heard } = await reflect([
      aList('7', [rome, paris]),
      aWatch([{ type: 'ERROR', code: 410, reason: 'Expired' }], 'close'),
      aList('30', [paris, { name: 'berlin', version: '22' }]),
      quiet,
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('30')

    expect(news.slice(3)).toEqual(['+ default/berlin berlin', '- default/rome rome', 'synced'])
    expect(heard().slice(0, 3)).toEqual(['list', 'watch 7', 'list'])
  })

  it('lists again on 410 as the answer to a watch', async () => {
    const { reflector, heard } = await reflect([
      aList('7', [rome]),
      aRefusal(410, 'Expired'),
      aList('30', [rome]),
      quiet,
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('30')

    expect(heard().slice(0, 3)).toEqual(['list', 'watch 7', 'list'])
  })

  it('resumes after a 500 in the stream', async () => {
    const { reflector, heard, troubles } = await reflect([
      aList('7', [rome]),
      aWatch([{ type: 'ERROR', code: 500, reason: 'InternalError' }], 'close'),
      aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '8' } }], 'stay'),
    ])

    await expect.poll(() => reflector.size()).toBe(2)

    expect(heard()).toEqual(['list', 'watch 7', 'watch 7'])
    expect(troubles).toEqual(['InternalError, says the script'])
  })

  it('lists again when a version is refused again and again', async () => {
    const { reflector, heard } = await reflect([
      aList('7', [rome]),
      ...(Array(5).fill(aRefusal(504, 'Timeout')) as Scene[]),
      aList('3', [rome]),
      quiet,
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('3')

    expect(heard().slice(0, 7)).toEqual(['list', ...Array(5).fill('watch 7'), 'list'])
  })

  it('resumes after a clean close, with a pause if there was no event', async () => {
    const { reflector, heard, clock, troubles } = await reflect([
      aList('7', [rome]),
      aWatch([{ type: 'BOOKMARK', version: '9' }], 'close'),
      aWatch([], 'close'),
      aWatch([], 'close'),
      aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '12' } }], 'stay'),
    ])

    await expect.poll(() => reflector.size()).toBe(2)

    expect(heard()).toEqual(['list', 'watch 7', 'watch 9', 'watch 9', 'watch 9'])
    expect(clock.sleeps).toEqual(expect.arrayContaining([375, 750])) // 1.5 · 250, 1.5 · 500
    expect(troubles).toEqual([])
  })

  it('takes a silent connection for dead, and resumes from the last bookmark', async () => {
    const { reflector, heard, troubles } = await reflect(
      [
        aList('7', [rome]),
        aWatch([{ type: 'BOOKMARK', version: '15' }], 'stay'),
        aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '16' } }], 'stay'),
      ],
      { stallMs: STALL_MS },
    )

    await expect.poll(() => reflector.size()).toBe(2)

    expect(heard().slice(0, 3)).toEqual(['list', 'watch 7', 'watch 15'])
    expect(troubles[0]).toBe('The watch sent nothing for 3000000 ms, not even a bookmark.')
  })

  it('tells all listeners although one throws', async () => {
    const explode = () => {
      throw new Error('a listener fell over')
    }
    const { reflector, news, troubles } = await reflect(
      [
        aList('7', [rome]),
        aWatch([{ type: 'ADDED', object: { name: 'berlin', version: '8' } }], 'stay'),
      ],
      { on: { added: explode } },
    )
    const told: string[] = []
    reflector.subscribe({ added: (item) => told.push(item) })

    await expect.poll(() => told).toEqual(['rome', 'berlin'])

    expect(news).toEqual(['synced'])
    expect(troubles).toEqual(['a listener fell over', 'a listener fell over'])
  })

  it('keeps what it knew of an object that can no longer be decoded', async () => {
    const broken = { type: 'MODIFIED', object: { ...rome, version: '8', value: 'broken' } } as const
    const { reflector, news, troubles } = await reflect([
      aList('7', [rome]),
      aWatch([broken, { type: 'BOOKMARK', version: '9' }], 'stay'),
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('9')

    expect(reflector.get('default/rome')).toBe('rome')
    expect(news).toEqual(['+ default/rome rome', 'synced'])
    expect(troubles).toEqual(['it is broken'])
  })

  it('takes another object of the same name for another', async () => {
    const { reflector, news } = await reflect([
      aList('7', [rome]),
      aRefusal(410, 'Expired'),
      aList('30', [{ name: 'rome', version: '22', uid: 'another' }]),
      quiet,
    ])

    await expect.poll(() => reflector.resourceVersion()).toBe('30')

    expect(news.slice(2)).toEqual(['- default/rome rome', '+ default/rome rome', 'synced'])
  })

  it('begins a list anew when the server forgot it between two pages', async () => {
    const { reflector, heard, news } = await reflect([
      aList('7', [rome], 'page-2'),
      aRefusal(410, 'Expired'),
      aList('30', [paris], 'page-2'),
      aList('30', [{ name: 'berlin', version: '22' }]),
      quiet,
    ])

    await reflector.synced

    expect(heard().slice(0, 4)).toEqual(['list', 'list on page-2', 'list', 'list on page-2'])
    expect([...reflector.items()]).toEqual(['paris', 'berlin'])
    expect(news.slice(3)).toEqual(['- default/rome rome', 'synced'])
  })

  it('refuses to be synced when it is stopped before', async () => {
    const { reflector } = await reflect(['stay silent'])

    await reflector.stop()

    await expect(reflector.synced).rejects.toThrow('stopped before its first list')
  })
})

describe('a reflector that is streamed to', () => {
  const isStreamed = true
  const romeToo = { type: 'ADDED', object: rome } as const
  const parisToo = { type: 'ADDED', object: paris } as const
  const allTold = { type: 'BOOKMARK', version: '7', endsInitialEvents: true } as const
  const stream = 'stream NotOlderThan'

  it('is complete at the bookmark, and continues with the same watch', async () => {
    const berlin = { type: 'ADDED', object: { name: 'berlin', version: '8' } } as const
    const { reflector, news, heard } = await reflect(
      [aWatch([romeToo, parisToo, allTold, berlin], 'stay')],
      { isStreamed },
    )

    await expect.poll(() => reflector.resourceVersion()).toBe('8')

    expect(news).toEqual([
      '+ default/rome rome',
      '+ default/paris paris',
      'synced',
      '+ default/berlin berlin',
    ])
    expect(heard()).toEqual([stream])
  })

  it('lists, without an error, where the server cannot stream', async () => {
    const { reflector, heard, troubles } = await reflect(
      [aRefusal(422, 'Invalid'), aList('7', [rome]), quiet],
      { isStreamed },
    )

    await reflector.synced

    await expect.poll(heard).toEqual([stream, 'list', 'watch 7'])
    expect(troubles).toEqual([])
  })

  it('asks for everything again when it was cut off before the end', async () => {
    const { reflector, news, heard } = await reflect(
      [aWatch([romeToo], 'cut'), aWatch([parisToo, allTold], 'stay')],
      { isStreamed },
    )

    await reflector.synced

    expect(news.slice(1)).toEqual(['+ default/paris paris', '- default/rome rome', 'synced'])
    expect(heard()).toEqual([stream, stream])
  })

  it('does not hurry where the server closes the stream before its end', async () => {
    const { reflector, heard, clock } = await reflect(
      [aWatch([romeToo], 'close'), aWatch([romeToo, allTold], 'stay')],
      { isStreamed },
    )

    await reflector.synced

    expect(heard()).toEqual([stream, stream])
    expect(clock.sleeps).toContain(375) // 1.5 · 250
  })

  it('is streamed to again after 410, and removes what is gone', async () => {
    const { reflector, news, heard } = await reflect(
      [
        aWatch([romeToo, parisToo, allTold], 'close'),
        aRefusal(410, 'Expired'),
        aWatch([parisToo, { ...allTold, version: '30' }], 'stay'),
      ],
      { isStreamed },
    )

    await expect.poll(() => reflector.resourceVersion()).toBe('30')

    expect(news.slice(3)).toEqual(['- default/rome rome', 'synced'])
    expect(heard()).toEqual([stream, 'watch 7', stream])
  })
})
