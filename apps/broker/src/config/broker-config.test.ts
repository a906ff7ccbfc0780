import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultPolicy, rules } from '@bourse/domain/placement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrokerConfig, connectionsWithin, readBrokerConfig } from './broker-config.ts'

const CERTS = '--http-cert-path=/certs'
let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-config-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

describe('connectionsWithin', () => {
  it.each([
    { memory: 0, connections: 10_000 },
    { memory: 2 ** 63, connections: 10_000 },
    { memory: 2 ** 30, connections: 6_241 },
    { memory: 2 ** 29, connections: 3_120 },
    { memory: 1, connections: 1 },
  ])('leaves half of $memory bytes for the rest', ({ memory, connections }) => {
    expect(connectionsWithin(memory)).toBe(connections)
  })
})

describe('readBrokerConfig', () => {
  it('has the defaults of the contract', async () => {
    const config = await configOf([CERTS])

    expect(config).toEqual({
      http: {
        port: 8443,
        certPath: '/certs',
        maxConnections: connectionsWithin(process.constrainedMemory()),
      },
      store: { kind: 'sqlite' },
      dataDir: './bourse-data',
      historyMs: 604_800_000,
      snapshotEvery: 100_000,
      adopt: false,
      staleAfterMs: 600_000,
      policy: defaultPolicy,
      currency: 'USD',
      maxDurationMs: 2_592_000_000,
      maxPriority: 100,
      drainTimeoutMs: 120_000,
      reclaimAfterMs: 86_400_000,
      rateLimit: { perSecond: 2_000, burst: 4_000 },
      journalMibPerDay: 1_024,
      shutdownTimeoutMs: 15_000,
      health: { port: 8081 },
      metrics: { port: 8080 },
      metricsSecure: false,
      metricsTenants: false,
      dashboard: { host: '127.0.0.1', port: 8090 },
      logLevel: 'info',
      logFormat: 'json',
    })
  })

  it.each([
    { name: 'a flag with =', argv: ['--http-port=9443'], port: 9443 },
    { name: 'a flag and its value apart', argv: ['--http-port', '9443'], port: 9443 },
    { name: "Go's single dash", argv: ['-http-port=9443'], port: 9443 },
    { name: 'the last of two', argv: ['--http-port=1', '--http-port=9443'], port: 9443 },
  ])('understands $name', async ({ argv, port }) => {
    expect((await configOf([CERTS, ...argv])).http?.port).toBe(port)
  })

  it.each([
    { name: 'the largest that decisions can be made with', weight: 1_000, isTaken: true },
    { name: 'nothing larger', weight: 1_001, isTaken: false },
  ])('takes, as a weight, $name', async ({ weight, isTaken }) => {
    const written = `resources=${weight},cost=1`

    const problems = await problemsOf([CERTS, `--score-weights=${written}`])

    expect(problems.length === 0).toBe(isTaken)
  })

  it('takes each scorer that is listed as a weight', async () => {
    const written = rules.scorers.map(({ name }, index) => `${name}=${index + 1}`).join(',')

    expect((await configOf([CERTS, `--score-weights=${written}`])).policy.version).toBe(written)
  })

  it.each([
    { written: 'EUR=1.08', taken: { kind: 'rates', rates: new Map([['EUR', 1_080_000_000n]]) } },
    { written: '@/etc/bourse/rates', taken: { kind: 'file', path: '/etc/bourse/rates' } },
  ])('takes rates as $written', async ({ written, taken }) => {
    expect((await configOf([CERTS, `--rates=${written}`])).rates).toEqual(taken)
  })

  it.each([
    { written: 'EUR', says: '--rates is "EUR", which is not allowed' },
    { written: 'USD=1', says: '--rates names USD, which is the --currency itself' },
  ])('refuses $written as rates', async ({ written, says }) => {
    expect((await problemsOf([CERTS, `--rates=${written}`])).join()).toContain(says)
  })

  it('prefers flag to environment, environment to file, and file to default', async () => {
    const path = file('precedence.yaml', 'http-port: 1\nstale-after: 1m\ncurrency: CHF\n')
    const env = { BOURSE_HTTP_PORT: '2', BOURSE_STALE_AFTER: '2m', BOURSE_DATA_DIR: '' }

    const config = await configOf([CERTS, '--config', path, '--http-port=3'], env)

    expect(config.http?.port).toBe(3)
    expect(config.staleAfterMs).toBe(120_000)
    expect(config.currency).toBe('CHF')
    expect(config.dataDir).toBe('./bourse-data')
  })

  it('takes the config file from its variable, and lists and tables in it', async () => {
    const path = file(
      'lists.json',
      '{"http-cert-path": "/c", "deny-clusters": ["rome", "oslo"], "score-weights": {"cost": 1}}',
    )

    const config = await configOf([], { BOURSE_BROKER_CONFIG: path })

    expect(config.denyClusters).toEqual({ kind: 'list', items: ['rome', 'oslo'] })
    expect(config.policy.version).toBe('cost=1')
  })

  it.each([
    { name: 'an address that is off', argv: ['--metrics-bind-address=0'], metrics: undefined },
    { name: 'all interfaces', argv: ['--metrics-bind-address=:9'], metrics: { port: 9 } },
    {
      name: 'an IPv6 host',
      argv: ['--metrics-bind-address=[::1]:0'],
      metrics: { host: '::1', port: 0 },
    },
  ])('reads $name', async ({ argv, metrics }) => {
    expect((await configOf([CERTS, ...argv])).metrics).toEqual(metrics)
  })

  it('reads an anchor as a file, or as a ConfigMap for which it needs an API server', async () => {
    const [inFile, inObject] = await Promise.all([
      configOf([CERTS, '--anchor=/else/where']),
      configOf([CERTS, '--anchor=configmap:bourse-system/anchor', '--kubeconfig=/k']),
    ])

    expect(inFile.anchor).toEqual({ kind: 'file', path: '/else/where' })
    expect(inFile.kubernetes).toBeUndefined()
    const place = { kind: 'configmap', namespace: 'bourse-system', name: 'anchor' }
    expect(inObject).toMatchObject({ anchor: place, kubernetes: { kubeconfig: '/k' } })
  })

  it('notes that an anchor beside a store in the same API server goes back with it', async () => {
    const argv = [
      '--store=kubernetes',
      '--anchor=configmap:bourse-system/anchor',
      '--kubeconfig=/k',
    ]

    const read = await readBrokerConfig({ argv, env: {} })

    expect(read).toMatchObject({
      notes: expect.arrayContaining([expect.stringContaining('contains both')]),
    })
  })

  it('turns the rate limit off with 0, and reads lists from files', async () => {
    const config = await configOf([CERTS, '--rate-limit=0', '--allow-clusters=@/lists/allowed'])

    expect(config.rateLimit).toBeUndefined()
    expect(config.allowClusters).toEqual({ kind: 'file', path: '/lists/allowed' })
  })

  it.each([
    [
      ['--http-port=99999'],
      '--http-port is "99999", which is not allowed: use a whole number from 0 to 65535.',
    ],
    [
      ['--stale-after=soon'],
      '--stale-after is "soon", which is not allowed: use a duration such as 90s, 10m, 1h30m or 7d, at least 1s.',
    ],
    [
      ['--metrics-bind-address=8080'],
      '--metrics-bind-address is "8080", which is not allowed: use :PORT, HOST:PORT, or 0 for off.',
    ],
    [
      ['--leader-elect=perhaps'],
      '--leader-elect is "perhaps", which is not allowed: use true or false.',
    ],
    [
      ['--anchor=configmap:anchor'],
      '--anchor is "configmap:anchor", which is not allowed: use a file, or configmap:NAMESPACE/NAME.',
    ],
    [
      ['--deny-clusters=Rome'],
      '--deny-clusters is "Rome", which is not allowed: use cluster ids (DNS-1123 labels of at most 63 characters) or @FILE.',
    ],
    [
      ['--score-weights=speed=3'],
      '--score-weights is "speed=3", which is not allowed: use NAME=WEIGHT pairs, e.g. resources=70,cost=30, of resources, cost, each at most 1000, not all 0.',
    ],
    [
      ['--score-weights=resources=70000,cost=30000'],
      '--score-weights is "resources=70000,cost=30000", which is not allowed: use NAME=WEIGHT pairs, e.g. resources=70,cost=30, of resources, cost, each at most 1000, not all 0.',
    ],
    [
      ['--currency=euro'],
      '--currency is "euro", which is not allowed: use a three-letter code such as USD.',
    ],
    [['--http-prot=1'], 'There is no flag --http-prot. Did you mean --http-port?'],
    [['--warp-speed'], 'There is no flag --warp-speed. See --help for all flags.'],
    [['8443'], '"8443" is not a flag: settings are written --name=value.'],
    [['--http-port'], '--http-port needs a value: --http-port=NUMBER.'],
    [
      ['--broker-interface=kubernetes', '--metrics-secure'],
      "--metrics-secure serves the REST API's certificate: open that interface with --http-cert-path=DIR.",
    ],
    [['--store=postgres'], '--store=postgres needs --postgres-url=URL, or BOURSE_POSTGRES_URL.'],
    [
      ['--lease-duration=2500ms', '--lease-renew=2s'],
      '--lease-duration must be whole seconds: a Lease has no smaller unit.',
    ],
    [
      ['--lease-renew=5s'],
      '--lease-retry must be below --lease-renew, and that below --lease-duration.',
    ],
    [['--config=/nowhere.yaml'], '--config names /nowhere.yaml, which does not exist.'],
    [
      ['--default-duration=721h'],
      '--default-duration is longer than --max-duration: make it shorter.',
    ],
    [
      ['--dashboard-bind-address=:8090'],
      '--dashboard-bind-address is not on loopback: give --dashboard-token-file=FILE, or use 127.0.0.1:PORT, or 0 for off.',
    ],
  ])('refuses %j', async (argv, problem) => {
    expect(await problemsOf([CERTS, ...argv])).toEqual([problem])
  })

  it('reads where a shared store is, and how its leader is elected', async () => {
    const flags = ['--store=kubernetes', '--leader-elect', '--kubeconfig=/k', '--store-slots=64']

    const config = await configOf([CERTS, ...flags, '--store-namespace=bourse'])

    expect(config.objects).toEqual({ httpNamespace: 'default' })
    expect(config.store).toEqual({ kind: 'kubernetes', namespace: 'bourse', slots: 64 })
    expect(config.kubernetes).toEqual({ kubeconfig: '/k' })
    expect(config.election).toEqual({
      name: 'bourse-broker',
      namespace: 'bourse',
      leaseMs: 5_000,
      renewMs: 3_000,
      retryMs: 1_000,
    })
  })

  it('names every problem at once, and where each was written', async () => {
    const path = file('bad.yaml', 'http-prot: 1\nstale-after: never\nhistory:\n')
    const env = { BOURSE_LOG_LEVEL: 'loud' }

    expect(await problemsOf([CERTS, `--config=${path}`], env)).toEqual([
      `The value of history in ${path} is not text, a number, true, false, or a list or table of these.`,
    ])
    const better = file('bad.yaml', 'http-prot: 1\nstale-after: never\n')
    expect(await problemsOf([CERTS, `--config=${better}`], env)).toEqual([
      `${path} has an unknown key http-prot. Did you mean http-port?`,
      `stale-after in ${path} is "never", which is not allowed: use a duration such as 90s, 10m, 1h30m or 7d, at least 1s.`,
      'BOURSE_LOG_LEVEL is "loud", which is not allowed: use trace, debug, info, warn or error.',
    ])
  })

  it('says what to do with http but no certificates', async () => {
    expect((await problemsOf(['--broker-interface=http']))[0]).toContain('needs --http-cert-path')
    expect((await problemsOf(['--broker-interface=grpc']))[0]).toContain('needs --http-cert-path')
  })

  it.each([',', 'mqtt://x', 'mqtts://x,https://y'])(
    'says what to do when %s is to be an MQTT server',
    async (url) => {
      expect(await problemsOf(['--broker-interface=mqtt', `--mqtt-url=${url}`])).toEqual([
        '--broker-interface=mqtt needs --mqtt-url=mqtts://HOST:PORT of an MQTT 5 server.',
        '--broker-interface=mqtt needs --mqtt-cert-path=DIR with a client certificate for that server.',
      ])
    },
  )

  it.each([
    { name: 'kubernetes alone by default', argv: [], env: {}, interfaces: ['kubernetes'] },
    {
      name: 'both with certificates and a kubeconfig',
      argv: [CERTS, '--kubeconfig=/k'],
      env: {},
      interfaces: ['http', 'kubernetes'],
    },
    {
      name: 'both with certificates in a pod',
      argv: [CERTS],
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      interfaces: ['http', 'kubernetes'],
    },
    {
      name: 'http alone where nothing names an API server',
      argv: [CERTS],
      env: {},
      interfaces: ['http'],
    },
    {
      name: 'what the flag says, even where an API server is named',
      argv: [CERTS, '--kubeconfig=/k', '--broker-interface=http'],
      env: {},
      interfaces: ['http'],
    },
  ])('opens $name', async ({ argv, env, interfaces }) => {
    const { http, objects } = await configOf(argv, env)

    expect([http && 'http', objects && 'kubernetes'].filter(Boolean)).toEqual(interfaces)
  })

  it('keeps its ledger on the API server when it watches objects there', async () => {
    expect((await configOf([])).store).toMatchObject({ kind: 'kubernetes' })
  })

  it('notes what it runs instead of the default, and what has no effect', async () => {
    const read = await readBrokerConfig({ argv: [CERTS, '--leader-elect'], env: {} })

    expect(read).toMatchObject({
      notes: [
        'Running the http interface only: nothing here names an API server. Give --kubeconfig=FILE for the kubernetes interface too, or --broker-interface=http to confirm this.',
        '--leader-elect has no effect with --store=sqlite: one broker owns the directory.',
      ],
    })
  })

  it('notes how to run without Kubernetes where nothing names an API server', async () => {
    const alone = await readBrokerConfig({ argv: [], env: {} })
    const inPod = await readBrokerConfig({ argv: [], env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } })

    const notes = (read: typeof alone) => (read.kind === 'config' ? read.notes.join(' ') : '')
    expect(notes(alone)).toContain('--broker-interface=http --http-cert-path=DIR')
    expect(notes(inPod)).not.toContain('--broker-interface=http')
  })
})

type Env = Readonly<Record<string, string>>

async function configOf(argv: readonly string[], env: Env = {}): Promise<BrokerConfig> {
  const read = await readBrokerConfig({ argv, env })
  if (read.kind === 'bad') throw new Error(read.problems.join(' '))
  return read.config
}

async function problemsOf(argv: readonly string[], env: Env = {}): Promise<readonly string[]> {
  const read = await readBrokerConfig({ argv, env })
  return read.kind === 'bad' ? read.problems : []
}

function file(name: string, text: string): string {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}
