import type { BrokerPeerings } from '../communicator/broker-communicator.ts'
import { BrokerRefused } from '../communicator/errors.ts'

/** Objects that anybody with read rights sees are no place for a handshake. */
export const noPeerings: BrokerPeerings = {
  openPeering: refuse,
  postPeering: refuse,
  reportPeeringTrouble: refuse,
  closePeering: refuse,
  // biome-ignore lint/correctness/useYield: it refuses before there is anything to tell.
  async *watchPeerings() {
    await refuse()
  },
}

async function refuse(): Promise<never> {
  throw new BrokerRefused(
    'The kubernetes transport does not carry peerings: use --broker-transport=http, grpc or mqtt, ' +
      'or --peering=liqoctl or none.',
    { status: 501, code: 'Unsupported' },
  )
}
