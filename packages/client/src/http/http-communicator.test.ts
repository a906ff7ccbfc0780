import { startBroker } from '@bourse/testkit'
import { describeCommunicator } from '../broker-communicator.contract.ts'
import { describePeerings } from '../broker-peerings.contract.ts'

async function start() {
  const broker = await startBroker()
  return {
    connect: (clusterId: string) => broker.aClient(clusterId),
    close: () => broker.dispose(),
  }
}

describeCommunicator('the HTTP transport', start)
describePeerings('the HTTP transport', start)
