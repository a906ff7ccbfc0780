import type { BrokerPeerings } from '../communicator/broker-communicator.ts'
import { BrokerRefused } from '../communicator/errors.ts'

/** Every user with read rights could see a handshake in objects. */
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
