// Budget: 30 seconds.
import { createKubeClient, loadConnection } from '@bourse/kube'
import { makeTestCertificates } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import {
  aPeer,
  heldFor,
  untilDone,
  untilStuck,
} from '../../../fixtures/peering/native/fake/peers.ts'
import { createSessionDesk } from '../../../fixtures/peering/native/fake/session-desk.ts'
import type { BorrowedReservation } from '../port/peering.ts'

const controlPlane = useControlPlane()
const { signal } = new AbortController()
const reservation: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

it('says so where there is no Liqo, and reservations can still be given back', async () => {
  const kubeconfig = controlPlane().adminKubeconfig
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const certificates = await makeTestCertificates()
  const peering = await aPeer({
    client,
    clusterId: 'rome',
    issue: certificates.forCluster,
    held: new Map(),
    broker: createSessionDesk().brokerFor('rome'),
  })
  onTestFinished(async () => {
    await peering.stop()
    await client.close()
    certificates.dispose()
  })

  const step = await untilStuck(() => peering.borrow(reservation, signal), 'NoLiqo')

  expect(step.message).toContain('This cluster has no Liqo')
  await untilDone(() => peering.giveBack(reservation, signal))
  await untilDone(() => peering.takeBack(heldFor('berlin', reservation), signal))
})
