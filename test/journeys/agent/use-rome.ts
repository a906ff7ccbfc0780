import { anAdvertisement, startBroker, type TestBroker } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { type AgentObjects, objectsOf } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type AgentLife, liveAgent } from '../../../apps/agent/fixtures/borrowing/agent-life.ts'

/** rome on a real API server, and a broker to which paris has advertised. */
export function useRome() {
  const controlPlane = useControlPlane({ kinds: bourseKinds })
  let broker: TestBroker
  let rome: AgentObjects

  beforeAll(async () => {
    rome = await objectsOf(controlPlane().adminKubeconfig)
    broker = await startBroker()
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris'))
  })
  afterAll(async () => {
    await broker.dispose()
    await rome.client.close()
  })

  return {
    controlPlane,
    broker: () => broker,
    rome: () => rome,
    /** For the length of one test, unless it is stopped before. */
    async anAgent(client = rome.client): Promise<AgentLife> {
      const life = await liveAgent({
        client,
        broker: await broker.aClient('rome'),
      })
      let stopping: Promise<void> | undefined
      const stop = () => (stopping ??= life.stop())
      onTestFinished(stop)
      return { ...life, stop }
    },
  }
}
