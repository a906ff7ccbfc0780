import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFlags } from '@bourse/daemon/settings'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentConfig, readAgentConfig } from './agent-config.ts'
import { agentFlags } from './agent-flags.ts'

const BROKER = ['--broker-url=https://broker.example:8443', '--broker-cert-path=/certs']
let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-agent-config-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

describe('readAgentConfig', () => {
  it('has the defaults of the contract', async () => {
    expect(await configOf(BROKER)).toEqual({
      broker: { kind: 'http', url: 'https://broker.example:8443', certPath: '/certs' },
      instructionPollMs: 5_000,
      described: { visibility: 'summary' },
      sharing: { share: { kind: 'all' }, keepBack: {} },
      nodeRules: {
        controlPlaneNodes: 'by-taint',
        countDedicatedNodes: true,
        toleratedTaints: [],
      },
      cost: { currency: 'USD', fromNodes: false },
      advertisement: { name: 'cluster-advertisement', namespace: 'default', requeueMs: 30_000 },
      instructionNamespace: 'default',
      peering: { kind: 'none' },
      health: { port: 8081 },
      metrics: { port: 8080 },
      logLevel: 'info',
      logFormat: 'json',
    })
  })

  it.each([
    { transport: 'grpc', url: 'https://broker.example:8444' },
    { transport: 'grpc', url: 'https://one.example:8444,https://two.example:8444' },
    { transport: 'mqtt', url: 'mqtts://mqtt.example:8883' },
    { transport: 'mqtt', url: 'mqtts://one.example:8883,mqtts://two.example:8883' },
  ])('takes the $transport transport when told to', async ({ transport, url }) => {
    const flags = [
      `--broker-transport=${transport}`,
      `--broker-url=${url}`,
      '--broker-cert-path=/c',
    ]

    expect((await configOf(flags)).broker).toEqual({ kind: transport, url, certPath: '/c' })
  })

  it('takes the kubernetes transport when only a kubeconfig of the broker is given', async () => {
    expect((await configOf(['--broker-kubeconfig=/broker.kubeconfig'])).broker).toEqual({
      kind: 'kubernetes',
      kubeconfig: '/broker.kubeconfig',
      namespace: 'default',
    })
  })

  it('takes several brokers of one ledger', async () => {
    const url = 'https://one.example:8443,https://two.example:8443'

    expect(
      (await configOf([`--broker-url=${url}`, '--broker-cert-path=/certs'])).broker,
    ).toMatchObject({
      url,
    })
  })

  it('takes peering by liqoctl when there are kubeconfigs of other clusters', async () => {
    expect((await configOf([...BROKER, '--kubeconfigs-dir=/peers'])).peering).toEqual({
      kind: 'liqoctl',
      kubeconfigsDir: '/peers',
      binary: 'liqoctl',
      timeoutMs: 600_000,
      liqoNamespace: 'liqo',
      networking: 'none',
      serviceType: 'LoadBalancer',
      lingerMs: 600_000,
      drainTimeoutMs: 300_000,
      graceMs: 600_000,
    })
  })

  it('tells what has no effect with liqoctl', async () => {
    const argv = [...BROKER, '--kubeconfigs-dir=/peers', '--gateway-address=gate.rome.example']

    expect(await readAgentConfig({ argv, env: {} })).toMatchObject({
      notes: [expect.stringContaining('--gateway-address has no effect with liqoctl')],
    })
  })

  it('puts instructions where the Advertisement is, unless told otherwise', async () => {
    const config = await configOf([...BROKER, '--advertisement-namespace=bourse'])

    expect(config.instructionNamespace).toBe('bourse')
  })

  it.each([
    { share: 'all', expected: { kind: 'all' } },
    { share: 'none', expected: { kind: 'nothing' } },
    { share: '50%', expected: { kind: 'percentage', percent: 50 } },
    {
      share: 'cpu=64,gpu=2',
      expected: { kind: 'amount', amount: { cpu: 64_000n, 'nvidia.com/gpu': 2n } },
    },
  ])('understands --share=$share', async ({ share, expected }) => {
    expect((await configOf([...BROKER, `--share=${share}`])).sharing.share).toEqual(expected)
  })

  it('reads taints as kubectl writes them', async () => {
    const { nodeRules } = await configOf([
      ...BROKER,
      '--tolerated-taints=dedicated=lending:NoSchedule,spot',
    ])

    expect(nodeRules.toleratedTaints).toEqual([
      { key: 'dedicated', value: 'lending', effect: 'NoSchedule' },
      { key: 'spot' },
    ])
  })

  it('reads a file in JSON, and says what is wrong with it', async () => {
    const path = join(dir, 'agent.json')
    writeFileSync(path, '{"location": "eu-south", "labels": {"tier": "gold"}}')
    const broken = join(dir, 'broken.json')
    writeFileSync(broken, '{"location": ')

    const config = await configOf([...BROKER, `--config=${path}`])

    expect(config.described).toMatchObject({ location: 'eu-south', labels: { tier: 'gold' } })
    await expect(configOf([...BROKER, `--config=${broken}`])).rejects.toThrow(
      `${broken} is not YAML or JSON: `,
    )
  })

  it('reads a file, under what flags and environment say', async () => {
    const path = join(dir, 'agent.yaml')
    writeFileSync(
      path,
      'cluster-id: rome\nlocation: eu-south\nlabels: {tier: gold}\ncpu-cost: 0.04\n',
    )

    const config = await configOf([...BROKER, `--config=${path}`, '--location=eu-west'], {
      BOURSE_CLUSTER_ID: 'paris',
    })

    expect(config.clusterId).toBe('paris')
    expect(config.described).toEqual({
      location: 'eu-west',
      labels: { tier: 'gold' },
      visibility: 'summary',
    })
    expect(config.cost.cpuCost).toBe('0.04')
  })

  it.each([
    { argv: [], says: '--broker-url is missing' },
    { argv: BROKER.slice(0, 1), says: '--broker-cert-path is missing' },
    {
      argv: [...BROKER, '--broker-transport=mqtt'],
      says: '--broker-transport=mqtt needs --broker-url=mqtts://HOST:PORT.',
    },
    {
      argv: ['--broker-transport=mqtt', '--broker-url=mqtts://one.example,https://two.example'],
      says: '--broker-transport=mqtt needs --broker-url=mqtts://HOST:PORT.',
    },
    { argv: ['--broker-transport=kubernetes'], says: 'needs --broker-kubeconfig=FILE' },
    { argv: [...BROKER, '--peering=liqoctl'], says: 'needs --kubeconfigs-dir=DIR' },
    {
      argv: ['--broker-kubeconfig=/broker.kubeconfig', '--metrics-secure'],
      says: '--metrics-secure needs --broker-cert-path=DIR: it serves that certificate.',
    },
    { argv: ['--broker-url=http://broker'], says: 'use an https address' },
    { argv: [...BROKER, '--cluster-id=Rome!'], says: '--cluster-id is "Rome!"' },
    { argv: [...BROKER, '--cpu-cost=cheap'], says: 'use a decimal such as 0.045' },
    { argv: [...BROKER, '--share=120%'], says: 'use all, none, a percentage' },
    { argv: [...BROKER, '--keep-back=cpu=lots'], says: 'use NAME=AMOUNT pairs' },
    { argv: [...BROKER, '--broker-ulr=x'], says: 'Did you mean --broker-url?' },
  ])('refuses $argv: $says', async ({ argv, says }) => {
    const read = await readAgentConfig({ argv, env: {} })

    expect(read.kind === 'bad' ? read.problems.join(' ') : 'accepted').toContain(says)
  })
})

describe('agentFlags', () => {
  it('has only defaults that it would accept itself', () => {
    expect(readFlags(agentFlags, { argv: [], env: {} }).kind).toBe('values')
  })

  it('is named as the contract has it', async () => {
    const names = Object.values(agentFlags).map((flag) => flag.name)

    expect(names).toEqual(expect.arrayContaining(CONTRACT_FLAGS))
  })
})

// contract §6
const CONTRACT_FLAGS = [
  'broker-transport',
  'broker-url',
  'broker-cert-path',
  'broker-kubeconfig',
  'broker-namespace',
  'cluster-id',
  'advertisement-name',
  'advertisement-namespace',
  'instruction-namespace',
  'advertisement-requeue-interval',
  'instruction-poll-interval',
  'kubeconfigs-dir',
  'peering',
  'endpoint-url',
  'cpu-cost',
  'memory-cost',
  'gpu-cost',
  'currency',
  'cost-configmap',
  'leader-elect',
  'kubeconfig',
  'health-probe-bind-address',
  'metrics-bind-address',
  'metrics-secure',
]

async function configOf(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<AgentConfig> {
  const read = await readAgentConfig({ argv, env })
  if (read.kind === 'bad') throw new Error(read.problems.join('\n'))
  return read.config
}
