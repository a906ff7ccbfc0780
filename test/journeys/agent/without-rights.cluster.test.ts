// Budget: 30 seconds.
import { eventually, startBroker } from '@bourse/testkit'
import { bourseKinds, grantAgentRights } from '@bourse/testkit/control-plane'
import { startAgent } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'

const controlPlane = useControlPlane({ kinds: bourseKinds })
const ROLE = ['clusterrole', 'bourse-agent']

type Rule = Readonly<{ resources?: readonly string[] }>

it('an agent that may not see ResourceRequests is not ready, says why, and heals', async () => {
  const broker = await startBroker()
  onTestFinished(() => broker.dispose())
  const certPath = await broker.certificates.forCluster('rome')
  const kubeconfig = await grantAgentRights(controlPlane())
  const whole = await rulesOfRole()
  await setRules(whole.filter(({ resources }) => !resources?.includes('resourcerequests')))

  const agent = await startAgent({ brokerUrl: broker.url, certPath, kubeconfig })
  onTestFinished(agent.stop)
  const says = async (part: string) => (await agent.readiness()).checks[part] ?? ''
  await eventually('it publishes', async () => (await says('broker')) === 'ok', 60_000)
  await eventually('it says why', async () => (await says('requests')).includes('forbidden'))
  const meanwhile = await agent.readiness()
  const metrics = await agent.metrics()
  await setRules(whole)

  await eventually('it is ready', async () => (await agent.readiness()).isReady, 60_000)
  expect(meanwhile.isReady).toBe(false)
  expect(metrics).toContain('agent_trouble{part="requests"} 1')
  expect(metrics).toMatch(/agent_watch_troubles_total\{watched="resourcerequests"\} [1-9]/)
})

async function rulesOfRole(): Promise<readonly Rule[]> {
  return JSON.parse(await controlPlane().kubectl(['get', ...ROLE, '--output=json'])).rules
}

async function setRules(rules: readonly Rule[]): Promise<void> {
  const patch = JSON.stringify([{ op: 'replace', path: '/rules', value: rules }])
  await controlPlane().kubectl(['patch', ...ROLE, '--type=json', `--patch=${patch}`])
}
