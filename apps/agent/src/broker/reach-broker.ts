import { type BrokerCommunicator, createHttpBroker } from '@bourse/client'
import type { BrokerAddress } from '../config/index.ts'
import type { Log } from '../runtime/log.ts'

/** Few retries: the parts of the agent retry themselves, with current data. */
const retry = { attemptsMax: 2, budgetMs: 5_000 }

/** Loads only the chosen transport. */
export async function reachBroker(
  address: BrokerAddress,
  clusterId: string,
  log: Log,
): Promise<BrokerCommunicator> {
  switch (address.kind) {
    case 'http':
      return createHttpBroker({ url: address.url, certPath: address.certPath, retry })
    case 'grpc': {
      const { openGrpcBroker } = await import('@bourse/client/grpc')
      return openGrpcBroker({ url: address.url, certPath: address.certPath, retry })
    }
    case 'mqtt': {
      const { openMqttBroker } = await import('@bourse/client/mqtt')
      return openMqttBroker({ url: address.url, certPath: address.certPath, clusterId, retry })
    }
    case 'kubernetes': {
      const { openKubernetesBroker } = await import('@bourse/client/kubernetes')
      const onTrouble = (err: Error) => log.warn({ err }, "a call on the broker's objects failed")
      return openKubernetesBroker({ ...address, clusterId, retry, onTrouble })
    }
  }
}
