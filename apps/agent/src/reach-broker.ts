import { type BrokerCommunicator, createHttpBroker } from '@bourse/client'
import type { BrokerAddress } from './config/index.ts'

/** The parts of the agent try again by themselves, with what is true by then. */
const RETRY = { attemptsMax: 2, budgetMs: 5_000 }

export function reachBroker(address: BrokerAddress): BrokerCommunicator {
  switch (address.kind) {
    case 'http':
      return createHttpBroker({ url: address.url, certPath: address.certPath, retry: RETRY })
    case 'kubernetes':
      throw new Error('The kubernetes transport comes with the next release: use --broker-url.')
  }
}
