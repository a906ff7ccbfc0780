import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { loadConnection } from './load-connection.ts'

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A directory with a kubeconfig of one or more contexts, of which `rome` is the current one. */
function aKubeconfig(cluster: object, user: object, files: Record<string, string> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-kubeconfig-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const kubeconfig = join(dir, 'config')
  const config = {
    'current-context': 'rome',
    clusters: [{ name: 'c', cluster: { server: 'https://rome:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'rome', context: { cluster: 'c', user: 'u' } },
      { name: 'paris', context: { cluster: 'c', user: 'u', namespace: 'louvre' } },
      { name: 'nowhere', context: { cluster: 'gone', user: 'u' } },
    ],
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  writeFileSync(kubeconfig, stringify(config))
  return { dir, kubeconfig }
}

const EMPTY_ANSWER =
  'console.log(\'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"}\')'

function configWith(user: object): string {
  return stringify({
    'current-context': 'rome',
    clusters: [{ name: 'c', cluster: { server: 'https://rome:6443' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'rome', context: { cluster: 'c', user: 'u' } }],
  })
}

function runsIn(dir: string): number {
  return readFileSync(join(dir, 'runs'), 'utf8').length
}

/** A plug-in that answers with its first argument and notes each run. */
const plugin = (dir: string, status: object, extra: object = {}) => ({
  apiVersion: 'client.authentication.k8s.io/v1',
  command: process.execPath,
  args: [
    '--eval',
    `require('fs').appendFileSync(${JSON.stringify(join(dir, 'runs'))}, 'x');
     const { apiVersion, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
     const status = ${JSON.stringify(status)};
     status.token += process.env.ENDING + (spec.cluster?.server ?? '');
     console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status }))`,
  ],
  env: [{ name: 'ENDING', value: '-of-the-env' }],
  interactiveMode: 'Never',
  ...extra,
})

describe('a kubeconfig', () => {
  it('gives certificates from its own text', async () => {
    const { kubeconfig } = aKubeconfig(
      { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'other-name' },
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    )

    const connection = await loadConnection({ kubeconfig })

    expect(connection).toMatchObject({ server: 'https://rome:6443', namespace: 'default' })
    expect(await connection.credentials()).toEqual({
      tls: {
        ca: 'CA',
        cert: 'CERT',
        key: 'KEY',
        servername: 'other-name',
        rejectUnauthorized: true,
      },
      headers: {},
    })
  })

  it('gives certificates from files beside it, and new ones when those change', async () => {
    const { kubeconfig, dir } = aKubeconfig(
      { 'certificate-authority': 'ca.crt' },
      { 'client-certificate': './tls.crt', 'client-key': 'tls.key' },
      { 'ca.crt': 'CA', 'tls.crt': 'CERT', 'tls.key': 'KEY' },
    )
    let now = 0
    const connection = await loadConnection({ kubeconfig, now: () => now })

    const before = await connection.credentials()
    const same = await connection.credentials()
    writeFileSync(join(dir, 'tls.crt'), 'NEW CERT')
    now = 2_000
    const after = await connection.credentials()

    expect(before.tls).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY', rejectUnauthorized: true })
    expect(same.tls).toBe(before.tls)
    expect(after.tls.cert).toBe('NEW CERT')
  })

  it('reads a token file again, and prefers it to a token', async () => {
    const { kubeconfig, dir } = aKubeconfig(
      {},
      { token: 'old', tokenFile: 'token' },
      { token: 'first\n' },
    )
    let now = 0
    const connection = await loadConnection({ kubeconfig, now: () => now })

    const before = await connection.credentials()
    writeFileSync(join(dir, 'token'), 'later\n')
    utimesSync(join(dir, 'token'), 5, 5)
    now = 2_000
    const after = await connection.credentials()

    expect(before.headers).toEqual({ authorization: 'Bearer first' })
    expect(after.headers).toEqual({ authorization: 'Bearer later' })
  })

  it('lets one choose another context', async () => {
    const { kubeconfig } = aKubeconfig({}, { token: 'one' })

    const connection = await loadConnection({ kubeconfig, context: 'paris' })

    expect(connection.namespace).toBe('louvre')
    expect(connection.source).toBe(`context paris of ${kubeconfig}`)
  })

  it('warns of a server that is not checked', async () => {
    const { kubeconfig } = aKubeconfig({ 'insecure-skip-tls-verify': true }, {})

    const connection = await loadConnection({ kubeconfig })

    expect((await connection.credentials()).tls).toEqual({ rejectUnauthorized: false })
    expect(connection.warnings).toEqual([expect.stringContaining('insecure-skip-tls-verify')])
  })

  it.each([
    {
      name: 'a proxy',
      cluster: { 'proxy-url': 'http://proxy:3128' },
      user: {},
      says: /proxy http:\/\/proxy:3128.*not supported; use an address/,
    },
    { name: 'an auth-provider', cluster: {}, user: { 'auth-provider': {} }, says: /exec plug-in/ },
    {
      name: 'a plug-in of an unknown version',
      cluster: {},
      user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      says: /uses client.authentication.k8s.io\/v1alpha1; only/,
    },
    {
      name: 'a plug-in that needs a person',
      cluster: {},
      user: { exec: plugin('/', {}, { interactiveMode: 'Always' }) },
      says: /needs a terminal/,
    },
  ])('refuses $name with a sentence', async ({ cluster, user, says }) => {
    const { kubeconfig } = aKubeconfig(cluster, user)

    await expect(loadConnection({ kubeconfig })).rejects.toThrow(says)
  })

  it.each([
    { context: 'berlin', says: /no context berlin; it has rome, paris, nowhere/ },
    { context: 'nowhere', says: /no cluster gone/ },
  ])('names what is missing: $context', async ({ context, says }) => {
    const { kubeconfig } = aKubeconfig({}, {})

    await expect(loadConnection({ kubeconfig, context })).rejects.toThrow(says)
  })

  it('is merged of several files, of which the first counts', async () => {
    const first = aKubeconfig({}, { token: 'first' })
    const second = aKubeconfig({}, { token: 'second' })
    const env = { KUBECONFIG: `/not/there:${first.kubeconfig}:${second.kubeconfig}` }

    const connection = await loadConnection({ env })

    expect((await connection.credentials()).headers.authorization).toBe('Bearer first')
  })
})

describe('an exec plug-in', () => {
  it('is run once until its answer ends', async () => {
    const soon = new Date(100_000).toISOString()
    const { dir, kubeconfig } = aKubeconfig({}, {})
    const exec = plugin(dir, { token: 'secret', expirationTimestamp: soon })
    writeFileSync(kubeconfig, configWith({ exec: { ...exec, provideClusterInfo: true } }))
    let now = 0
    const connection = await loadConnection({ kubeconfig, now: () => now })

    const [first] = await Promise.all([connection.credentials(), connection.credentials()])
    now = 69_000
    await connection.credentials()
    const runsBefore = runsIn(dir)
    now = 71_000 // less than 30 s before its end
    await connection.credentials()

    expect(first.headers.authorization).toBe('Bearer secret-of-the-envhttps://rome:6443')
    expect([runsBefore, runsIn(dir)]).toEqual([1, 2])
  })

  it('is run again after its answer was refused', async () => {
    const { dir, kubeconfig } = aKubeconfig({}, {})
    writeFileSync(kubeconfig, configWith({ exec: plugin(dir, { token: 'secret' }) }))
    const connection = await loadConnection({ kubeconfig })

    await connection.credentials()
    connection.refused()
    await connection.credentials()

    expect(runsIn(dir)).toBe(2)
  })

  it.each([
    {
      name: 'is missing',
      exec: { command: '/no/such/plugin', installHint: 'Install it so.' },
      says: /returned no credentials: .*ENOENT Install it so\./,
    },
    {
      name: 'fails',
      exec: { command: process.execPath, args: ['-e', 'console.error("no!"); process.exit(1)'] },
      says: /returned no credentials: no!/,
    },
    {
      name: 'answers nonsense',
      exec: { command: process.execPath, args: ['-e', 'console.log("hello")'] },
      says: /did not answer in JSON/,
    },
    {
      name: 'answers with nothing of use',
      exec: { command: process.execPath, args: ['-e', EMPTY_ANSWER] },
      says: /neither a token nor a certificate/,
    },
  ])('is blamed by name when it $name', async ({ exec, says }) => {
    const { kubeconfig } = aKubeconfig(
      {},
      { exec: { apiVersion: 'client.authentication.k8s.io/v1', ...exec } },
    )
    const connection = await loadConnection({ kubeconfig })

    await expect(connection.credentials()).rejects.toThrow(says)
  })
})

describe('in a pod', () => {
  it('uses its account, and its token and authority as they change', async () => {
    const { dir } = aKubeconfig({}, {}, { token: 'one', 'ca.crt': 'CA', namespace: 'bourse\n' })
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }
    let now = 0
    const connection = await loadConnection({ env, serviceAccountDir: dir, now: () => now })

    const before = await connection.credentials()
    writeFileSync(join(dir, 'token'), 'rotated')
    writeFileSync(join(dir, 'ca.crt'), 'NEW CA')
    now = 2_000
    const after = await connection.credentials()

    expect(connection).toMatchObject({ server: 'https://[fd00::1]:6443', namespace: 'bourse' })
    expect(before.headers).toEqual({ authorization: 'Bearer one' })
    expect(after.headers).toEqual({ authorization: 'Bearer rotated' })
    expect(after.tls).toEqual({ ca: 'NEW CA', rejectUnauthorized: true })
  })

  it('keeps the last token while the file is away', async () => {
    const { dir } = aKubeconfig({}, {}, { token: 'one', 'ca.crt': 'CA' })
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' }
    let now = 0
    const connection = await loadConnection({ env, serviceAccountDir: dir, now: () => now })

    rmSync(join(dir, 'token'))
    now = 2_000

    expect((await connection.credentials()).headers).toEqual({ authorization: 'Bearer one' })
  })
})

it('says what to do where there is no way to connect', async () => {
  await expect(loadConnection({ env: { HOME: '/nonexistent' } })).rejects.toThrow(
    /no kubeconfig .*not a pod; give a kubeconfig/,
  )
})
