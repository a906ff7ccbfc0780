import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createLeaderLease, type KubeClient } from '@bourse/kube'
import type { AgentConfig } from '../config/index.ts'
import type { Log } from './log.ts'

/** What only one agent of a cluster does at a time. */
export type Work = Readonly<{ start(): void; stop(): Promise<void> }>

export type Leadership = Readonly<{
  isHeld(): boolean
  /** Who else has it. */
  holder(): string | undefined
  leave(): Promise<void>
}>

type Ports = Readonly<{
  client: KubeClient
  election: NonNullable<AgentConfig['election']>
  log: Log
  /** A term begins: new work each time, as the old one has forgotten nothing on purpose. */
  enter(): Work
  /** The term is over and its work has stopped. */
  left(): void
}>

/** Two at work do no harm, only double the traffic: the times are for calm, not for haste. */
const TIMES = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 }

/** Works while it holds the lease; stands by otherwise, and takes over when the other is gone. */
export function takeTurns({ client, election, log, enter, left }: Ports): Leadership {
  const { name, namespace = client.namespace } = election
  let work: Work | undefined

  const lease = createLeaderLease({
    client,
    namespace,
    name,
    identity: `${hostname()}_${randomUUID().slice(0, 8)}`,
    ...TIMES,
    onLead() {
      log.info({ lease: `${namespace}/${name}` }, 'leading')
      work = enter()
      work.start()
    },
    async onLost(why) {
      log.warn({ lease: `${namespace}/${name}`, why }, 'no longer leading')
      const ended = work
      work = undefined
      await ended?.stop()
      left()
    },
    onHolder: (holder) => log.info({ leader: holder?.identity }, 'the lease has another holder'),
    onTrouble: (err) => log.warn({ err }, 'the lease cannot be looked after'),
  })
  return { isHeld: lease.isLeader, holder: () => lease.holder()?.identity, leave: lease.stop }
}
