import type { Request } from './communicator/broker-communicator.contract.ts'
import type { BrokerCommunicator } from './communicator/broker-communicator.ts'

type Operator = Pick<BrokerCommunicator, 'requestReservation'>

/** The clients of one transport's tests, and what they cannot do for themselves. */
export function createTransportClients(operator: () => Promise<Operator>) {
  let open: BrokerCommunicator[] = []
  return {
    /** Closed with the others. */
    keep(client: BrokerCommunicator): BrokerCommunicator {
      open.push(client)
      return client
    },
    async closeAll(): Promise<void> {
      await Promise.all(open.map((client) => client.close()))
      open = []
    },
    async reserveFor(requesterID: string, request: Request): Promise<void> {
      await (await operator()).requestReservation({ ...request, requesterID })
    },
  }
}
