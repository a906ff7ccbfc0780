// Budget: 40 seconds.
import { join } from 'node:path'
import {
  anAdvertisement,
  aRequest,
  eventually,
  repositoryRoot,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { brokerKinds, grantClusterRights } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { describeCommunicator, type Request } from '../communicator/broker-communicator.contract.ts'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { openKubernetesBroker } from './kubernetes-broker.ts'

const plane = useControlPlane({ kinds: brokerKinds })
let broker: TestBroker

beforeAll(async () => {
  const { kubectl, kubeconfigFor } = plane()
  await kubectl(['apply', '--server-side', `--kustomize=${join(repositoryRoot, 'config/default')}`])
  // What the chart gives the broker; nothing more.
  const user = '--user=the-broker'
  await kubectl(['create', 'clusterrolebinding', 'test', '--clusterrole=bourse-broker', user])
  broker = await startBroker({
    flags: [
      '--broker-interface=kubernetes',
      '--store=sqlite',
      '--deny-clusters=mordor',
      `--kubeconfig=${await kubeconfigFor({ user: 'the-broker' })}`,
    ],
  })
})
afterAll(() => broker?.dispose())

let open: BrokerCommunicator[] = []

async function connect(clusterId: string, more: Partial<Options> = {}) {
  const identity = { user: clusterId, groups: ['bourse:clusters'] }
  await grantClusterRights(plane(), clusterId)
  const kubeconfig = await plane().kubeconfigFor(identity)
  const options = { clusterId, kubeconfig, namespace: 'default', ...more }
  const client = await openKubernetesBroker(options)
  open.push(client)
  return client
}
type Options = Parameters<typeof openKubernetesBroker>[0]

async function closeAll(): Promise<void> {
  await Promise.all(open.map((client) => client.close()))
  open = []
}

/** As a person does: by an object of their own. */
async function reserveFor(requesterID: string, request: Request): Promise<void> {
  const { requestedResources, targetClusterID } = request
  const reservation = {
    apiVersion: 'broker.fluidos.eu/v1alpha1',
    kind: 'Reservation',
    metadata: { name: `for-${requesterID}`, namespace: 'default' },
    spec: { requesterID, requestedResources, targetClusterID },
  }
  await plane().kubectl(['apply', '--filename=-'], JSON.stringify(reservation))
}

describeCommunicator('the Kubernetes transport', async () => ({
  connect,
  reserveFor,
  close: closeAll,
  isByObjects: true,
}))

describe('the Kubernetes transport', () => {
  afterEach(closeAll)
  const namesOf = async (requester: string) =>
    (
      await plane().kubectl([
        ...['get', 'rsv', `--field-selector=spec.requesterID=${requester}`],
        '--output=jsonpath={.items[*].metadata.name}',
      ])
    )
      .split(' ')
      .filter(Boolean)

  it('refuses a denied cluster, with the reason, and grants it nothing', async () => {
    const lender = await connect('denying-paris')
    await lender.publishAdvertisement(anAdvertisement('denying-paris', { cpu: '8' }))
    const mordor = await connect('mordor')
    const request = { ...aRequest({ cpu: '2' }), targetClusterID: 'denying-paris' }

    await expect(mordor.publishAdvertisement(anAdvertisement('mordor'))).rejects.toMatchObject({
      code: 'ClusterDenied',
      message: 'mordor is on the deny list.',
    })
    await expect(mordor.requestReservation(request)).rejects.toMatchObject({
      code: 'ClusterDenied',
    })

    expect((await lender.fetchInstructions()).instructions).toEqual([])
  })

  it('asks anew with the same request id what was refused before', async () => {
    const rome = await connect('anew-rome')
    const request = { ...aRequest({ cpu: '2' }), targetClusterID: 'anew-paris', requestId: 'job' }

    const before = await rome.requestReservation(request)
    const paris = await connect('anew-paris')
    await paris.publishAdvertisement(anAdvertisement('anew-paris', { cpu: '8' }))
    const after = await rome.requestReservation(request)

    expect(before).toMatchObject({ kind: 'refused', refused: {} })
    expect(after).toMatchObject({
      kind: 'reserved',
      isNew: true,
      reservation: { requestId: 'job' },
    })
  })

  it('shows both sides what was made with kubectl, and the provider when it is deleted', async () => {
    const rome = await connect('kubectl-rome')
    const paris = await connect('kubectl-paris')
    await paris.publishAdvertisement(anAdvertisement('kubectl-paris', { cpu: '8' }))
    const ending = new AbortController()
    const requested = rome.watchReservations({ signal: ending.signal })[Symbol.asyncIterator]()
    const held = paris.watchInstructions({ signal: ending.signal })[Symbol.asyncIterator]()
    await Promise.all([requested.next(), held.next()])

    const spec = {
      requesterID: 'kubectl-rome',
      requestedResources: { cpu: '1' },
      targetClusterID: 'kubectl-paris',
    }
    const made = { ...MANIFEST, metadata: { name: 'by-hand' }, spec }
    await plane().kubectl(['create', '--filename=-'], JSON.stringify(made))
    const mine = await requested.next()
    const lent = await held.next()
    await plane().kubectl(['delete', 'rsv', 'by-hand'])
    const gone = await held.next()
    ending.abort()

    const [reservation] = mine.value.reservations
    expect(reservation).toMatchObject({
      requesterID: 'kubectl-rome',
      status: { phase: 'Reserved' },
    })
    expect(lent.value.instructions).toMatchObject([{ id: reservation.id }])
    expect(gone.value).toMatchObject({ instructions: [], ledgerId: lent.value.ledgerId })
    expect(gone.value.index).toBeGreaterThan(lent.value.index)
  })

  it('renews for the same time again', async () => {
    const rome = await connect('again-rome')
    const paris = await connect('again-paris')
    await paris.publishAdvertisement(anAdvertisement('again-paris', { cpu: '8' }))
    const request = { ...aRequest({ cpu: '2' }), targetClusterID: 'again-paris', duration: '1h' }
    const made = await rome.requestReservation(request)
    const { id, status } = 'reservation' in made ? made.reservation : expect.fail(made.kind)

    const first = await rome.renew(id, '1h')
    const second = await rome.renew(id, '1h')

    const ends = [status, first.status, second.status].map(({ expiresAt = '' }) => expiresAt)
    expect(ends).toEqual([...ends].sort())
    expect(new Set(ends).size).toBe(3)
    await expect(rome.renew(id, '9999h')).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: expect.stringContaining('it stays as it was: duration'),
    })
  })

  it('clears away what ended more than a day ago, and leaves no questions behind', async () => {
    const paris = await connect('sweep-paris')
    await paris.publishAdvertisement(anAdvertisement('sweep-paris', { cpu: '8' }))
    await paris.release({ requestId: 'never-came' })
    expect(await namesOf('sweep-paris')).toHaveLength(1)

    const nextWeek = () => Date.now() + 7 * 24 * 3_600_000
    const later = await connect('sweep-paris', { clock: { now: nextWeek } })
    await later.publishAdvertisement(anAdvertisement('sweep-paris', { cpu: '8' }))

    await eventually(
      'The sweep',
      async () => (await namesOf('sweep-paris')).length === 0 || undefined,
    )
  })

  it('takes no API server without a broker for one that holds nothing, and finds it again', async () => {
    const rome = await connect('outage-rome', { retry: { attemptsMax: 100, budgetMs: 200_000 } })
    const paris = await connect('outage-paris', { retry: { attemptsMax: 1 } })
    await paris.publishAdvertisement(anAdvertisement('outage-paris', { cpu: '8' }))
    await broker.kill('SIGKILL')
    const berlin = await connect('outage-berlin', { retry: { attemptsMax: 1 } })

    const wanted = { ...aRequest({ cpu: '2' }), targetClusterID: 'outage-paris' }
    const asked = rome.requestReservation(wanted)
    // Handled here at once, as the next lines take their time.
    asked.catch(() => undefined)
    await expect(berlin.fetchInstructions()).rejects.toMatchObject({
      name: 'BrokerBusy',
      message: expect.stringContaining('No broker answered within 10 s'),
    })
    broker.launch()
    await broker.ready(120_000)

    expect(await asked).toMatchObject({ kind: 'reserved' })
    expect(await berlin.fetchInstructions()).toMatchObject({ instructions: [] })
  })
})

const MANIFEST = { apiVersion: 'broker.fluidos.eu/v1alpha1', kind: 'Reservation' }
