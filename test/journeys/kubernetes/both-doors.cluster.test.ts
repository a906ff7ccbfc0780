// Budget: 40 seconds.
import { join } from 'node:path'
import type { ReservationOutcome } from '@bourse/client'
import {
  anAdvertisement,
  aRequest,
  repositoryRoot,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clearObjects } from './broker-on-objects.ts'
import { aClusterAdvertisement, aReservation, objectsOf, type Seen } from './objects.ts'

const NAMESPACE = 'bourse-system'
const plane = useControlPlane({ kinds: brokerKinds })
let broker: TestBroker

beforeAll(async () => {
  const { kubectl } = plane()
  await kubectl(['apply', '--server-side', `--kustomize=${join(repositoryRoot, 'config/default')}`])
  // The rights that the chart gives, and no others.
  const user = '--user=the-broker'
  await kubectl(['create', 'clusterrolebinding', 'test', '--clusterrole=bourse-broker', user])
  await kubectl(['create', 'rolebinding', 'test', '--role=bourse-broker', user, '-n', NAMESPACE])
})
beforeEach(async () => {
  await clearObjects(plane())
  broker = await startBroker({ flags: await flagsFor('--store=sqlite') })
})
afterEach(() => broker?.dispose())

async function flagsFor(...more: readonly string[]): Promise<string[]> {
  const kubeconfig = await plane().kubeconfigFor({ user: 'the-broker' })
  return ['--broker-interface=http,kubernetes', `--kubeconfig=${kubeconfig}`, ...more]
}

function idOf(outcome: ReservationOutcome): string {
  if (!('reservation' in outcome)) throw new Error(`It was ${outcome.kind}.`)
  return outcome.reservation.id
}

const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'

describe('a broker with both doors, under the rights of its chart', () => {
  it('shows by REST what kubectl made, and to kubectl what came by REST', async () => {
    const { apply, until } = objectsOf(plane())
    const rome = await broker.aClient('rome')
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '10' }))

    await apply(aReservation('by-hand', { requesterID: 'rome' }))
    const made = await until('rsv', 'by-hand', isReserved)
    const posted = idOf(await rome.requestReservation(aRequest({ cpu: '3', memory: '1Gi' })))
    const mirror = await until('rsv', posted, isReserved)

    const { items } = await rome.listReservations({ role: 'requester' })
    expect(items.map(({ id }) => id).sort()).toEqual([made.status?.reservationID, posted].sort())
    expect(mirror.spec.targetClusterID).toBe('paris')
    await until('cadv', 'rest-paris', ({ status }) => status?.available?.cpu === '5')
  })

  it('keeps what it granted through kill -9, and releases what was deleted meanwhile', async () => {
    const { apply, remove, gone, all, until } = objectsOf(plane())
    await apply(
      aClusterAdvertisement('paris', 'paris', '10'),
      aReservation('stays'),
      aReservation('goes'),
    )
    await until('rsv', 'stays', isReserved)
    await until('rsv', 'goes', isReserved)
    await broker.kill('SIGKILL')

    await remove('rsv', 'goes')
    await broker.restart()
    await gone('rsv', 'goes')

    const cluster = await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '8')
    expect(cluster.spec.resources?.reserved).toMatchObject({ cpu: '2' })
    expect((await all('rsv')).map(({ metadata }) => metadata.name)).toEqual(['stays'])
  })

  it('refuses to start beside the objects of a ledger that is not its own', async () => {
    const { apply, until } = objectsOf(plane())
    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))
    await until('rsv', 'job', isReserved)
    const another = startBroker({ flags: await flagsFor('--store=sqlite') })

    await expect(another).rejects.toThrow(
      /The journal is empty, but there are objects of the ledger/,
    )
  })

  it('needs nothing but the API server: the ledger is there too, unless told otherwise', async () => {
    const { apply, until } = objectsOf(plane())
    await broker.dispose()
    broker = await startBroker({ flags: await flagsFor(`--store-namespace=${NAMESPACE}`) })

    await apply(aClusterAdvertisement('paris', 'paris', '10'), aReservation('job'))
    const made = await until('rsv', 'job', isReserved)
    await broker.kill('SIGKILL')
    await broker.restart()
    await apply(aReservation('next'))
    const next = await until('rsv', 'next', isReserved)

    expect(next.status?.ledgerID).toBe(made.status?.ledgerID)
    await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '6')
  })
})
