import { startBroker } from '@bourse/testkit'
import { describeCommunicator } from '../broker-communicator.contract.ts'

describeCommunicator('the HTTP transport', async () => {
  const broker = await startBroker()
  return { connect: (clusterId) => broker.aClient(clusterId), close: broker.dispose }
})
