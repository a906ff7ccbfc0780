// Budget: 30 seconds.
import { eventually, startBroker } from '@bourse/testkit'
import { startAgent } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'

const controlPlane = useControlPlane()

it('an agent says that its kinds are not installed, and begins once they are', async () => {
  const broker = await startBroker()
  onTestFinished(() => broker.dispose())
  const certPath = await broker.certificates.forCluster('rome')
  const { adminKubeconfig: kubeconfig, kubectl } = controlPlane()
  const agent = await startAgent({ brokerUrl: broker.url, certPath, kubeconfig })
  onTestFinished(agent.stop)
  const says = async () => (await agent.readiness()).checks.objects ?? ''
  const missing = 'does not serve liqo.io/v1alpha1'
  await eventually('it says so', async () => (await says()).includes(missing), 60_000)
  const said = await says()

  await kubectl(['apply', '--server-side', '--filename=config/crd/bases'])

  await eventually('it is ready', async () => (await agent.readiness()).isReady, 60_000)
  expect(said).toContain('are the CRDs installed?')
})
