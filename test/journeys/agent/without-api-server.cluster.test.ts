// Budget: 30 seconds.
import { eventually } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { startAgent } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, expect, it, onTestFinished } from 'vitest'

const controlPlane = useControlPlane({ kinds: bourseKinds })
let uid = ''

beforeAll(async () => {
  const { apiServer, kubectl } = controlPlane()
  uid = await kubectl(['get', 'namespace', 'kube-system', '--output=jsonpath={.metadata.uid}'])
  await apiServer.kill()
})

/** Who it is, only its API server can tell. It says that this is away. */
async function aWaitingAgent() {
  const { adminKubeconfig: kubeconfig } = controlPlane()
  const agent = await startAgent({
    ...{ brokerUrl: 'https://127.0.0.1:1', certPath: '/nowhere', kubeconfig },
    flags: ['--broker-transport=kubernetes', `--broker-kubeconfig=${kubeconfig}`],
  })
  onTestFinished(agent.stop)
  const away = async () => (await agent.readiness()).checks.cluster
  expect(await eventually('it says so', away, 60_000)).toContain('ECONNREFUSED')
  return agent
}

it('an agent that waits for its API server stops when it is told to', async () => {
  const agent = await aWaitingAgent()

  await agent.stop()

  expect(agent.child.exit()).toMatchObject({ code: 0 })
})

it('an agent that waits for its API server goes on when that is there', async () => {
  const agent = await aWaitingAgent()

  await controlPlane().apiServer.start()

  const isItself = () => agent.child.output().includes(`"clusterID":"${uid}"`)
  await eventually('it knows who it is', isItself, 60_000)
  expect(agent.child.exit()).toBeUndefined()
})
