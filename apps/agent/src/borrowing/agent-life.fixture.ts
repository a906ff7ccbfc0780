import type { BrokerCommunicator } from '@bourse/client'
import type { KubeClient } from '@bourse/kube'
import { createOwnAdvertisement } from '../advertisement/index.ts'
import { createConfirmedLedger } from '../instructions/index.ts'
import { createObjectEvents } from '../kubernetes/events.ts'
import { createInstructionFollower } from '../lending/index.ts'
import { createNoPeering } from '../peering/index.ts'
import type { Peering } from '../peering/port/peering.ts'
import { createBorrowing } from './borrowing.ts'

type LifeOptions = Readonly<{
  client: KubeClient
  broker: BrokerCommunicator
  peering?: Peering
  /** Between two questions to a broker without long polls. */
  pollMs?: number
}>

export type AgentLife = Awaited<ReturnType<typeof liveAgent>>

/** Both sides of an agent as its main would compose them, from start to stop. */
export async function liveAgent({ client, broker, peering, pollMs }: LifeOptions) {
  const lines: string[] = []
  const tell = (facts: unknown, message?: string) => void lines.push(message ?? String(facts))
  const log = { debug: tell, info: tell, warn: tell, error: tell }
  const objectEvents = createObjectEvents(client)
  const own = createOwnAdvertisement({
    client,
    namespace: 'default',
    name: 'cluster-advertisement',
    onTrouble: (error) => tell(error.message),
  })
  const confirmed = createConfirmedLedger(own)
  const ports = {
    client,
    broker,
    namespace: 'default',
    confirmed,
    objectEvents,
    log,
    peering: peering ?? createNoPeering(),
    ...(pollMs !== undefined && { pollMs }),
  }
  const borrowing = createBorrowing(ports)
  const follower = createInstructionFollower(ports)
  await own.synced
  await Promise.all([borrowing.start(), follower.start()])
  return {
    borrowing,
    follower,
    lines,
    async stop(): Promise<void> {
      await Promise.all([borrowing.stop(), follower.stop(), own.stop()])
      await objectEvents.stop()
    },
  }
}
