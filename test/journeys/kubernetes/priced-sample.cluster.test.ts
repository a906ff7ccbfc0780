import { type ClusterAdvertisementStatus, clusterAdvertisementKind } from '@bourse/contract/kinds'
import type { KubeObject } from '@bourse/kube'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { lookOut } from '../sighting.ts'
import { clearObjects, sample, startBrokerOnObjects } from './broker-on-objects.ts'
import { objectsOf } from './objects.ts'

type Shown = KubeObject<unknown, ClusterAdvertisementStatus>
type Options = Parameters<typeof startBrokerOnObjects>[1]

const NAME = 'cluster-1'
const plane = useControlPlane({ kinds: brokerKinds })

/** A broker, and the cluster of the sample applied as it is written. */
async function aBroker(options: Options = {}) {
  await clearObjects(plane())
  const broker = await startBrokerOnObjects(plane(), options)
  onTestFinished(() => broker.stop())
  const file = sample('broker_v1alpha1_clusteradvertisement_priced')
  await plane().kubectl(['apply', `--filename=${file}`])
  return broker
}

it('works as written, and its prices count', async () => {
  const broker = await aBroker()

  const { status } = await objectsOf(plane()).until(
    'cadv',
    NAME,
    (seen) => seen.status?.phase === 'Active',
  )
  const wanted = { cpu: 2_000n, memory: 4n * 2n ** 30n }
  const { rows } = await broker.writer.read((view) =>
    view.evaluate({ requester: 'user-team', wanted }),
  )

  expect(status).toMatchObject({ active: true, score: '66.67' })
  expect(rows).toMatchObject([
    // 2 × 0.05 + 4 × 0.01
    { clusterId: 'cluster-1-abc123', verdict: 'chosen', pricePerHour: 140_000_000n },
  ])
  expect(rows[0]?.scored?.parts).toHaveProperty('cost', 100)
})

it('goes stale, and kubectl patch of its timestamp makes it fresh', async () => {
  const broker = await aBroker({ staleAfterMs: 3_000 })
  await objectsOf(plane()).until('cadv', NAME, ({ status }) => status?.phase === 'Stale')
  const fresh = await lookOut<Shown>(broker.client, {
    kind: clusterAdvertisementKind,
    isIt: (event) => 'object' in event && event.object.status?.phase === 'Active',
  })

  const value = new Date().toISOString()
  const patch = JSON.stringify([{ op: 'replace', path: '/spec/timestamp', value }])
  await plane().kubectl(['patch', 'clusteradvertisement', NAME, '--type=json', `-p=${patch}`])

  // Soon it is stale again.
  await fresh.seen
})
