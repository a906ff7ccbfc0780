import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { hurriedClock } from '@bourse/testkit/clock'
import { aList, anObject, aRefusal, aWatch } from '@bourse/testkit/scripted-api-server'
import { playBroker, type Scene } from '@bourse/testkit/scripted-broker'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ConnectionRefused } from '../connection/connection.ts'
import { createConnection } from '../connection/create-connection.ts'
import type { Kind } from '../objects/objects.ts'
import { createKubeClient } from './create-kube-client.ts'
import { isConflict, isNotFound, isTransient, type KubeError } from './errors.ts'
import type { Timeouts, WatchOptions } from './kube-client.ts'

const CONFIG_MAP: Kind = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
const rome = { name: 'rome', namespace: 'default' }
const found: Scene = { status: 200, body: anObject({ name: 'rome', version: '5' }) }
const aNewObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: rome }

let certificates: TestCertificates
let certPath: string
let otherPath: string
beforeAll(async () => {
  certificates = await makeTestCertificates()
  certPath = await certificates.forApiServer()
  otherPath = await certificates.forLeaf('other', {
    commonName: 'other',
    usages: ['server', 'client'],
  })
})
afterAll(() => certificates.dispose())

function materialIn(dir: string) {
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  return {
    rejectUnauthorized: true,
    ca: read('ca.crt'),
    cert: read('tls.crt'),
    key: read('tls.key'),
  }
}

async function connect(scenes: readonly [Scene, ...Scene[]], timeouts: Partial<Timeouts> = {}) {
  const script = await playBroker(certPath, scenes)
  const clock = hurriedClock(1_000)
  const world = { token: 'first', tls: materialIn(certPath) }
  const connection = createConnection({
    server: `${script.url}/behind/a/path`,
    source: 'the script',
    tls: async () => world.tls,
    headers: async () => ({ authorization: `Bearer ${world.token}` }),
    refused() {
      world.token = 'second'
    },
  })
  const client = createKubeClient(connection, { clock, timeouts })
  onTestFinished(async () => {
    await client.close()
    await script.close()
  })
  return { client, script, clock, world }
}

function faultOf(call: Promise<unknown>): Promise<KubeError> {
  return call.then(
    () => expect.unreachable(),
    (thrown) => thrown,
  )
}

describe('a call', () => {
  it('goes to the address that kind, namespace and name make', async () => {
    const { client, script } = await connect([found])
    const apply = { fieldManager: 'bourse', force: true, subresource: 'status' } as const

    await client.get(CONFIG_MAP, 'rome', 'default')
    await client.create(CONFIG_MAP, aNewObject, { fieldValidation: 'Strict' })
    await client.replaceStatus(CONFIG_MAP, aNewObject)
    await client.apply({ ...CONFIG_MAP, group: 'a.b', namespaced: false }, aNewObject, apply)
    await client.delete(CONFIG_MAP, rome, { propagationPolicy: 'Foreground' })

    const base = '/behind/a/path/api/v1/namespaces/default/configmaps'
    expect(script.heard.map(({ line }) => line)).toEqual([
      `GET ${base}/rome`,
      `POST ${base}?fieldValidation=Strict`,
      `PUT ${base}/rome/status`,
      'PATCH /behind/a/path/apis/a.b/v1/configmaps/rome/status?fieldManager=bourse&force=true',
      `DELETE ${base}/rome`,
    ])
    expect(script.heard[4]?.body).toEqual({ propagationPolicy: 'Foreground' })
  })

  it('refuses to address a list where an object is meant', async () => {
    const { client, script } = await connect([found])

    expect(() => client.get(CONFIG_MAP, '', 'default')).toThrow('without a name')
    expect(() => client.get(CONFIG_MAP, 'rome')).toThrow('needs a namespace')
    expect(script.heard).toEqual([])
  })

  it('reports what the server says, in its words', async () => {
    const { client } = await connect([aRefusal(404, 'NotFound'), aRefusal(409, 'Conflict')])

    const missing = await faultOf(client.get(CONFIG_MAP, 'rome', 'default'))
    const collided = await faultOf(client.replace(CONFIG_MAP, aNewObject))

    expect(missing).toMatchObject({ status: 404, message: 'NotFound, says the script' })
    expect([isNotFound(missing), isTransient(missing)]).toEqual([true, false])
    expect([isConflict(collided), collided.mayHaveHappened]).toEqual([true, false])
  })

  it('says of a kind that the server does not serve that its CRD may be missing', async () => {
    const { client } = await connect([{ status: 404, body: '404 page not found\n' }])
    const kind = { ...CONFIG_MAP, group: 'liqo.io', version: 'v1alpha1', plural: 'advertisements' }

    const fault = await faultOf(client.get(kind, 'rome', 'default'))

    expect(fault.message).toBe(
      'The API server does not serve liqo.io/v1alpha1 ' +
        '(/apis/liqo.io/v1alpha1/namespaces/default/advertisements/rome): are the CRDs installed?',
    )
    expect(isNotFound(fault)).toBe(true)
  })

  it.each<{ name: string; scene: Scene; write: boolean; heard: number }>([
    { name: 'reads again after a 500', scene: aRefusal(500, 'X'), write: false, heard: 2 },
    { name: 'reads again after a hang-up', scene: 'hang up', write: false, heard: 2 },
    { name: 'does not write again after a 500', scene: aRefusal(500, 'X'), write: true, heard: 1 },
    { name: 'does not write again after a hang-up', scene: 'hang up', write: true, heard: 1 },
    {
      name: 'writes again after a 429 that names a time',
      scene: aRefusal(429, 'TooManyRequests', { 'retry-after': '1' }),
      write: true,
      heard: 2,
    },
    {
      name: 'does not write again after a 429 without a time',
      scene: aRefusal(429, 'TooManyRequests'),
      write: true,
      heard: 1,
    },
    { name: 'does not ask again after a 403', scene: aRefusal(403, 'X'), write: false, heard: 1 },
  ])('$name', async ({ scene, write, heard }) => {
    const { client, script } = await connect([scene, found])

    await (write
      ? client.create(CONFIG_MAP, aNewObject)
      : client.get(CONFIG_MAP, 'rome', 'default')
    ).catch(() => undefined)

    expect(script.heard).toHaveLength(heard)
  })

  it('says whether a write may have happened', async () => {
    const { client } = await connect([
      aRefusal(504, 'Timeout'),
      'hang up',
      aRefusal(422, 'Invalid'),
    ])

    const timedOut = await faultOf(client.create(CONFIG_MAP, aNewObject))
    const hungUp = await faultOf(client.create(CONFIG_MAP, aNewObject))
    const refused = await faultOf(client.create(CONFIG_MAP, aNewObject))

    const all = [timedOut, hungUp, refused].map(({ mayHaveHappened }) => mayHaveHappened)
    expect(all).toEqual([true, true, false])
  })

  it('tries to write again when nothing was sent at all', async () => {
    const { client, script, clock } = await connect([found])
    await script.close()

    const fault = await faultOf(client.create(CONFIG_MAP, aNewObject))

    expect(fault).toMatchObject({ status: 0, reason: 'Unreachable', mayHaveHappened: false })
    expect(clock.sleeps).toHaveLength(4)
  })

  it('does not wait longer for another attempt than the call may take', async () => {
    const { client, script, clock } = await connect([
      aRefusal(429, 'TooManyRequests', { 'retry-after': '60' }),
    ])

    const fault = await faultOf(client.create(CONFIG_MAP, aNewObject))

    expect(fault).toMatchObject({ status: 429, retryAfterSeconds: 60, mayHaveHappened: false })
    expect([script.heard.length, clock.sleeps.length]).toEqual([1, 0])
  })

  it('reports missing credentials, and that nothing was sent', async () => {
    const refuse = () => Promise.reject(new ConnectionRefused('The plug-in is away.'))
    const client = createKubeClient(
      createConnection({ server: 'https://127.0.0.1:1', source: '', tls: refuse, headers: refuse }),
    )

    const fault = await faultOf(client.create(CONFIG_MAP, aNewObject, { retry: false }))

    expect(fault).toMatchObject({ reason: 'NoCredentials', mayHaveHappened: false })
    expect(fault.message).toContain('The plug-in is away.')
  })

  it('asks once more with fresh credentials after a 401', async () => {
    const tokens: (string | undefined)[] = []
    const { client } = await connect([
      (request, response) => {
        const { authorization } = request.headers
        tokens.push(authorization)
        response.writeHead(authorization === 'Bearer second' ? 200 : 401).end('{}')
      },
    ])

    await client.create(CONFIG_MAP, aNewObject)

    expect(tokens).toEqual(['Bearer first', 'Bearer second'])
  })

  it.each<{ timedOut: string; scene: Scene; timeouts: Partial<Timeouts> }>([
    { timedOut: 'total', scene: 'stay silent', timeouts: { totalMs: 50 } },
    { timedOut: 'headers', scene: 'stay silent', timeouts: { headersMs: 20 } },
    { timedOut: 'body', scene: 'stop midway', timeouts: { bodyMs: 20 } },
  ])('names the time-out: $timedOut', async ({ timedOut, scene, timeouts }) => {
    const { client } = await connect([scene], timeouts)

    const fault = await faultOf(client.create(CONFIG_MAP, aNewObject))

    expect(fault).toMatchObject({ reason: 'TimedOut', timedOut, mayHaveHappened: true })
  })

  it("ends with the signal's reason", async () => {
    const { client } = await connect(['stay silent'])
    const reason = new Error('we changed our mind')

    const call = client.get(CONFIG_MAP, 'rome', 'default', { signal: AbortSignal.abort(reason) })

    await expect(call).rejects.toBe(reason)
  })

  it('refuses a server with an untrusted certificate', async () => {
    const { client, world, script } = await connect([found])
    world.tls = { ...materialIn(certPath), ca: readFileSync(join(otherPath, 'tls.crt'), 'utf8') }

    const fault = await faultOf(client.get(CONFIG_MAP, 'rome', 'default'))

    expect(fault.reason).toBe('CertificateRefused')
    expect(script.heard).toEqual([])
  })

  it('takes new certificates for the next call', async () => {
    const { client, world, script } = await connect([found])

    await client.get(CONFIG_MAP, 'rome', 'default')
    world.tls = { ...materialIn(otherPath) }
    await client.get(CONFIG_MAP, 'rome', 'default')

    expect(script.heard.map(({ caller }) => caller)).toEqual(['api-server', 'other'])
  })

  it('says after close that it is closed', async () => {
    const { client } = await connect([found])
    await client.close()

    const fault = await faultOf(client.get(CONFIG_MAP, 'rome', 'default'))

    expect(fault.reason).toBe('Closed')
  })
})

describe('connections', () => {
  it('are used again, and watches have their own', async () => {
    const { client, script } = await connect([found, aWatch([], 'stay'), found])
    const stop = new AbortController()

    await client.get(CONFIG_MAP, 'rome', 'default')
    const watch = client.watch(CONFIG_MAP, { resourceVersion: '5', signal: stop.signal })
    const next = watch[Symbol.asyncIterator]()
      .next()
      .catch(() => 'ended')
    await expect.poll(() => script.heard.length).toBe(2)
    await client.get(CONFIG_MAP, 'rome', 'default')
    stop.abort()

    const [first, watching, last] = script.heard.map(({ connection }) => connection)
    expect(watching).not.toBe(first)
    expect(last).toBe(first)
    expect(await next).toBe('ended')
  })
})

describe('a watch', () => {
  async function told(objects: readonly object[], options: WatchOptions = {}) {
    const lines = objects.map((object) => `${JSON.stringify({ type: 'ADDED', object })}\n`)
    const { client, clock } = await connect([(_, response) => response.end(lines.join(''))])
    const seen: object[] = []
    for await (const event of client.watch(CONFIG_MAP, options))
      if ('object' in event) seen.push(event.object)
    return { objects: seen, clock }
  }

  it('leaves out who wrote which field, and nothing else', async () => {
    const rest = { annotations: { last: ',"managedFields":[],"a"]' }, labels: { app: 'web' } }
    const written = [
      { manager: 'a "quoted" ]', fieldsV1: { 'k:{"type":"["}': { '.': {} } } },
      { manager: 'kubelet\\\\', fieldsV1: {} },
    ]

    const { objects } = await told([
      { metadata: { ...rome, ...rest, managedFields: written, uid: 'u' }, data: { a: '1' } },
      { metadata: { ...rome, managedFields: [{ unheardOf: ['list'] }] } },
      { metadata: rome, data: { managedFields: '[' } },
    ])

    expect(objects).toEqual([
      { metadata: { ...rome, ...rest, uid: 'u' }, data: { a: '1' } },
      { metadata: { ...rome, managedFields: [{ unheardOf: ['list'] }] } },
      { metadata: rome, data: { managedFields: '[' } },
    ])
  })

  it('pauses between two reads if asked to, after the initial events', async () => {
    const [gatherMs, metadata] = [70, rome]

    const live = await told([{ metadata }], { gatherMs, resourceVersion: '5' })
    const initial = await told([{ metadata }], { gatherMs, sendInitialEvents: true })

    expect(live.clock.sleeps).toContain(70)
    expect(initial.clock.sleeps).not.toContain(70)
  })
})

describe('an urgent call', () => {
  it('does not wait behind others that are not answered', async () => {
    const silence: Scene[] = Array(16).fill('stay silent')
    const { client, script } = await connect(['stay silent', ...silence.slice(1), found])
    const ended = silence.map(() => client.get(CONFIG_MAP, 'rome', 'default').catch(() => 'ended'))
    await expect.poll(() => script.heard.length).toBe(16)

    const urgent = await client.get(CONFIG_MAP, 'rome', 'default', { urgent: true })
    await client.close()

    expect(urgent.metadata.name).toBe('rome')
    expect(await Promise.all(ended)).toHaveLength(16)
  })
})

describe('a list', () => {
  it('is read page by page, with selectors, and gathered', async () => {
    const { client, script } = await connect([
      aList('7', [{ name: 'rome', version: '5' }], 'more'),
      aList('7', [{ name: 'paris', version: '6' }]),
    ])

    const { items, resourceVersion } = await client.list(CONFIG_MAP, { labelSelector: 'a=b' })

    expect(items.map(({ metadata }) => metadata.name)).toEqual(['rome', 'paris'])
    expect(resourceVersion).toBe('7')
    expect(script.heard[1]?.line).toMatch(/labelSelector=a%3Db&limit=500&continue=more$/)
  })

  it('asks for fewer items when they are large', async () => {
    const large = { name: 'rome', version: '5', value: 'x'.repeat(512 * 1024) }
    const { client, script } = await connect([aList('7', [large], 'more'), aList('7', [])])

    await client.list(CONFIG_MAP)

    expect(script.heard[1]?.line).toContain('limit=3') // 2 MiB / 512 KiB and a little
  })
})
