import { startBroker } from '@bourse/testkit'
import { describeCommunicator, type Request } from '../communicator/broker-communicator.contract.ts'
import { describePeerings } from '../communicator/broker-peerings.contract.ts'

async function start() {
  const broker = await startBroker()
  return {
    connect: (clusterId: string) => broker.aClient(clusterId),
    async reserveFor(requesterID: string, request: Request) {
      await (await broker.anOperator()).requestReservation({ ...request, requesterID })
    },
    close: () => broker.dispose(),
  }
}

describeCommunicator('the HTTP transport', start)
describePeerings('the HTTP transport', start)
