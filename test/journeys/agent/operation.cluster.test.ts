import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, repositoryRoot, startBroker, type TestBroker } from '@bourse/testkit'
import { aNode, bourseKinds, grantAgentRights } from '@bourse/testkit/control-plane'
import { type AgentProcess, startAgent } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const controlPlane = useControlPlane({ withKwok: true, kinds: bourseKinds })
// The user name of the ServiceAccount: the agent may do what its role allows, and nothing else.
let broker: TestBroker
let kubeconfig = ''
const agents: AgentProcess[] = []

beforeAll(async () => {
  broker = await startBroker()
  const { kubectl } = controlPlane()
  await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-1')))
  kubeconfig = await grantAgentRights(controlPlane())
})
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop()
})
afterAll(() => broker.dispose())

describe('an agent, with the rights of its chart', () => {
  it('publishes what the cluster has and shows that it did', async () => {
    await anAgent()

    await inTime('the broker knows rome', async () => (await rome())?.cpu === '8')
    await inTime(
      'the Advertisement shows it',
      async () =>
        (await shown('{.status.phase} {.spec.resources.available.cpu}')) === 'Published 8',
    )
  })

  it('publishes that a node has come, and that it has gone', async () => {
    const agent = await anAgent()
    await inTime('it is ready', async () => (await agent.readiness()).isReady)

    await controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-2')))

    await inTime('the broker knows both nodes', async () => (await rome())?.cpu === '16')
    await controlPlane().kubectl(['delete', 'node', 'node-2'])
    await inTime('and that one is gone', async () => (await rome())?.cpu === '8')
  })

  it('shows which nodes do not count, and why', async () => {
    const agent = await anAgent()
    await inTime('it is ready', async () => (await agent.readiness()).isReady)
    const message = '{.status.conditions[?(@.type=="Measured")].message}'

    await controlPlane().kubectl(['cordon', 'node-1'])

    await inTime(
      'the Advertisement tells',
      async () => (await shown(message)) === '0 nodes counted, left out: 1 cordoned.',
    )
    expect(await agent.metrics()).toContain('agent_nodes_left_out{reason="Cordoned"} 1')
    await controlPlane().kubectl(['uncordon', 'node-1'])
    await inTime('it tells that, too', async () => (await shown(message)) === '1 node counted.')
  })

  it('lends what its Advertisement says, at once, and names what it does not understand', async () => {
    const agent = await anAgent(['--keep-back=cpu=1'])
    await inTime('all but what is kept back', async () => (await offered()) === '7')
    const message = '{.status.conditions[?(@.type=="Sharing")].message}'

    await write({ share: '50%' })
    await inTime('half of it', async () => (await offered()) === '4')
    await write({ share: null, amounts: { cpu: '2' }, keepBack: {} })
    await inTime('two cores', async () => (await offered()) === '2')
    await inTime('and says so', async () => (await shown(message)) === 'At most 2 cpu is lent.')
    await write({ share: 'none', amounts: null })
    await inTime('nothing', async () => (await offered()) === '0')
    await expect(write({ share: 'half' })).rejects.toThrow('share is all, none or a percentage')
    await write({ share: null, amounts: { 'no name': '1' } })
    await inTime('it says what it does not understand', async () =>
      (await shown(message)).startsWith('spec.sharing.amounts.no name: '),
    )
    expect(await offered()).toBe('0')
    expect(await agent.metrics()).toContain('agent_trouble{part="sharing"} 1')
    await write(null)

    await inTime('as the flags say', async () => (await offered()) === '7')
    await inTime('and says so', async () => (await agent.readiness()).checks.sharing === 'ok')
  })

  it('serves its metrics over TLS when told to', async () => {
    const agent = await anAgent(['--metrics-secure'])

    await inTime('it is ready', async () => (await agent.readiness()).isReady)

    expect(agent.child.output()).toContain('"metrics":"https://localhost:')
    await expect(agent.metrics()).rejects.toThrow('fetch failed')
  })

  it('turns a ResourceRequest into a reservation, by role', async () => {
    await anAgent()
    const paris = await broker.aClient('paris')
    const capacity = { cpu: '64', memory: '256Gi' }
    await paris.publishAdvertisement({ clusterID: 'paris', resources: { capacity } })
    const sample = 'config/samples/liqo_v1alpha1_resourcerequest.yaml'

    await controlPlane().kubectl(['apply', `--filename=${join(repositoryRoot, sample)}`])

    const status = ['get', 'resourcerequest', 'my-request', '--output=jsonpath={.status.phase}']
    await inTime(
      'it is reserved',
      async () => (await controlPlane().kubectl(status)) === 'Reserved',
    )
    await controlPlane().kubectl(['delete', 'resourcerequest', 'my-request', '--timeout=60s'])
    const { reservations } = await held()
    expect(reservations).toEqual([])
  })

  it('says so while the broker is away, and heals by itself', async () => {
    const agent = await anAgent(['--advertisement-requeue-interval=1s'])
    await inTime('it is ready', async () => (await agent.readiness()).isReady)

    await broker.stop()

    await inTime('it is not ready, and says why', async () => {
      const { isReady, checks } = await agent.readiness()
      return !isReady && `${checks.broker}`.includes('cannot be reached')
    })
    await inTime(
      'the Advertisement tells',
      async () => (await shown('{.status.phase} {.status.published}')) === 'Failed false',
    )
    expect(await agent.metrics()).toMatch(/agent_publish_total\{result="failure"\} [1-9]/)
    await broker.restart()
    await inTime('it is ready again', async () => (await agent.readiness()).isReady)
    await inTime(
      'the Advertisement tells that, too',
      async () => (await shown('{.status.phase} {.status.published}')) === 'Published true',
    )
  })

  it('advertises at once to a broker that was started anew', async () => {
    const agent = await anAgent(['--advertisement-requeue-interval=1h'])
    await inTime('it is ready', async () => (await agent.readiness()).isReady)
    const before = await successes(agent)

    await broker.stop()
    await broker.restart()

    await inTime('it has advertised again', async () => (await successes(agent)) > before)
  })

  it('makes the Advertisement right again after a user edited or deleted it', async () => {
    const agent = await anAgent()
    await inTime('it is ready', async () => (await agent.readiness()).isReady)
    const name = 'advertisement/cluster-advertisement'

    const nonsense = '{"spec":{"resources":{"available":{"cpu":"1000"}}}}'
    await controlPlane().kubectl(['patch', name, '--type=merge', `--patch=${nonsense}`])
    await inTime(
      'the nonsense is gone',
      async () => (await shown('{.spec.resources.available.cpu}')) === '8',
    )
    await controlPlane().kubectl(['delete', name])

    await inTime('it is back', async () => (await shown('{.status.phase}')) === 'Published')
  })

  it('works with a certificate that was renewed under it', async () => {
    const certPath = await broker.certificates.forCluster('rome')
    const agent = await anAgent(['--advertisement-requeue-interval=1s'])
    await inTime('it is ready', async () => (await agent.readiness()).isReady)

    const fresh = await broker.certificates.forLeaf('rome-renewed', {
      commonName: 'rome',
      usages: ['client'],
    })
    for (const file of ['tls.crt', 'tls.key']) copyFileSync(join(fresh, file), join(certPath, file))

    const before = await successes(agent)
    await inTime('it publishes on', async () => (await successes(agent)) > before + 2)
    expect((await agent.readiness()).isReady).toBe(true)
  })

  it('does not start under another id than that of its certificate', async () => {
    const agent = await anAgent(['--cluster-id=paris'])

    const { code } = await agent.child.exited

    expect(code).not.toBe(0)
    expect(agent.child.output()).toContain('--cluster-id is paris, but the certificate')
    expect(agent.child.output()).toContain("is rome's")
  })

  it('takes turns: a second agent stands by, and takes over when the first is gone', async () => {
    const first = await anAgent(['--leader-elect', '--lease-namespace=bourse-system'])
    await inTime('the first works', async () => (await first.readiness()).isReady)
    const second = await anAgent(['--leader-elect', '--lease-namespace=bourse-system'])
    await inTime('the second stands by', async () =>
      `${(await second.readiness()).checks.leadership}`.startsWith('standing by'),
    )

    await first.stop()
    const { code } = await first.child.exited

    await inTime('the second works', async () => (await second.readiness()).checks.broker === 'ok')
    expect(code).toBe(0)
    expect(first.child.output()).toContain('"msg":"stopped"')
  })

  it('has nothing to lend in a cluster without nodes, and is well', async () => {
    await controlPlane().kubectl(['delete', 'node', '--all'])
    const agent = await anAgent()

    await inTime('it is ready', async () => (await agent.readiness()).isReady)
    await inTime('the broker knows', async () => (await rome())?.cpu === '0')

    const told = async () =>
      (await shown('{.status.phase} {.spec.resources.available.cpu}')) === 'Published 0'
    await inTime('it is shown', told)
    await controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-1')))
    await inTime('a node has come', async () => (await rome())?.cpu === '8')
  })
})

/** As long as a busy machine needs; what is fast is measured by the benchmarks. */
function inTime(what: string, ask: () => Promise<boolean>): Promise<boolean> {
  return eventually(what, ask, 60_000)
}

async function anAgent(flags: readonly string[] = []): Promise<AgentProcess> {
  const certPath = await broker.certificates.forCluster('rome')
  const agent = await startAgent({ brokerUrl: broker.url, certPath, kubeconfig, flags })
  agents.push(agent)
  return agent
}

async function rome() {
  const operator = await broker.anOperator()
  const known = await operator.getCluster('rome').catch(() => undefined)
  return known?.resources.allocatable
}

/** What the Advertisement shows as left to lend. */
async function offered(): Promise<string> {
  return shown('{.spec.resources.available.cpu}')
}

function write(sharing: object | null): Promise<string> {
  const patch = `--patch=${JSON.stringify({ spec: { sharing } })}`
  return controlPlane().kubectl(['patch', 'adv/cluster-advertisement', '--type=merge', patch])
}

async function held() {
  const operator = await broker.anOperator()
  const { items } = await operator.listReservations({ phases: ['Reserved', 'Active'] })
  return { reservations: items }
}

function shown(jsonPath: string): Promise<string> {
  const get = ['get', 'advertisement', 'cluster-advertisement', '--ignore-not-found']
  return controlPlane().kubectl([...get, `--output=jsonpath=${jsonPath}`])
}

async function successes(agent: AgentProcess): Promise<number> {
  const found = /agent_publish_total\{result="success"\} (\d+)/.exec(await agent.metrics())
  return Number(found?.[1])
}
