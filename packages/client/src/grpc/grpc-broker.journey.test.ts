import {
  anAdvertisement,
  eventually,
  makeTestCertificates,
  quietPorts,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTransportClients } from '../../fixtures/transport-clients.ts'
import { describeCommunicator, nextWith } from '../communicator/broker-communicator.contract.ts'
import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { describePeerings } from '../communicator/broker-peerings.contract.ts'
import { openGrpcBroker } from './grpc-broker.ts'

let broker: TestBroker
let url = ''
const { keep, closeAll, reserveFor } = createTransportClients(() => broker.anOperator())

beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  url = `https://127.0.0.1:${port}`
  broker = await startBroker({ flags: ['--broker-interface=http,grpc', `--grpc-port=${port}`] })
}, 60_000)
afterAll(() => broker.dispose())

async function connect(clusterId: string): Promise<BrokerCommunicator> {
  return connectWith(await broker.certificates.forCluster(clusterId))
}

function connectWith(certPath: string): BrokerCommunicator {
  return keep(openGrpcBroker({ url, certPath }))
}

describeCommunicator('the gRPC transport', async () => ({ connect, reserveFor, close: closeAll }))
describePeerings('the gRPC transport', async () => ({ connect, close: closeAll }))

describe('the gRPC door', () => {
  afterEach(closeAll)

  it('shows what came by REST, and REST what came by it', async () => {
    const paris = await connect('both-paris')
    await paris.publishAdvertisement(anAdvertisement('both-paris', { cpu: '8' }))
    const rome = await broker.aClient('both-rome')
    const wanted = { requestedResources: { cpu: '2' }, targetClusterID: 'both-paris' }

    const made = await rome.requestReservation(wanted)

    const { instructions } = await paris.fetchInstructions()
    expect(made).toMatchObject({ kind: 'reserved', reservation: { id: instructions[0]?.id } })
  })

  it('is found among several addresses, also by those who watch', async () => {
    const [unused = 0] = await quietPorts(1)
    const certPath = await broker.certificates.forCluster('seeking-paris')
    const urls = `https://127.0.0.1:${unused},${url}`
    const paris = openGrpcBroker({ url: urls, certPath, retry: { attemptsMax: 1 } })
    keep(paris)
    const ending = new AbortController()

    const published = await paris.publishAdvertisement(anAdvertisement('seeking-paris'))
    const watching = paris.watchInstructions({ signal: ending.signal })[Symbol.asyncIterator]()
    const told = await watching.next()
    ending.abort()

    expect(published.instructions).toEqual([])
    expect(told.value.instructions).toEqual([])
  })

  it('refuses a client without a certificate of its authority', async () => {
    const strangers = await makeTestCertificates()
    const stranger = connectWith(await strangers.forCluster('rome'))

    await expect(stranger.ping()).rejects.toMatchObject({
      name: expect.stringMatching(/IdentityRefused|BrokerUnreachable/),
    })
    strangers.dispose()
  })

  it('continues with new certificates, also its watches', async () => {
    const paris = await connect('turn-paris')
    await paris.publishAdvertisement(anAdvertisement('turn-paris', { cpu: '8' }))
    const ending = new AbortController()
    const watching = paris.watchInstructions({ signal: ending.signal })[Symbol.asyncIterator]()
    await watching.next()

    await broker.certificates.forServer()
    await eventually('The renewal', () => broker.logs().includes('gRPC connections renewed'))
    const rome = await connect('turn-rome')
    const wanted = { requestedResources: { cpu: '2' }, targetClusterID: 'turn-paris' }
    const made = await rome.requestReservation(wanted)
    await nextWith(watching, 1)
    ending.abort()

    expect(made.kind).toBe('reserved')
  })

  it('refuses a certificate from the moment that it is revoked', async () => {
    const mallory = await connect('mallory')
    await mallory.fetchInstructions()

    await broker.certificates.revoke(['mallory'], broker.certPath)

    await eventually('Mallory is refused', () =>
      mallory.fetchInstructions().then(
        () => false,
        ({ name }: Error) => name === 'IdentityRefused' || name === 'BrokerUnreachable',
      ),
    )
  })
})
