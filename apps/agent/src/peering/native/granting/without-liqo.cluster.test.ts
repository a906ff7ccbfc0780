import { createKubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { aGranting } from '../../../../fixtures/peering/native/granting/granting.ts'

const controlPlane = useControlPlane()
const { signal } = new AbortController()

it('takes back at once in a cluster without Liqo, where nothing can have been granted', async () => {
  const kubeconfig = controlPlane().adminKubeconfig
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const { granting } = aGranting(client, { held: [], isKnown: true, aheadMs: 0 })
  onTestFinished(async () => {
    await granting.stop()
    await client.close()
  })
  await granting.start()
  const reservation = { id: 'rsv-1', requester: 'rome', resources: { cpu: 1_000n } }

  const early = await granting.revoke(reservation, signal)

  // Before it is known that there is no Liqo, there might be one.
  expect(early.isDone).toBe(false)
  await eventually('nothing is left', async () => {
    return (await granting.revoke(reservation, signal)).isDone
  })
})
