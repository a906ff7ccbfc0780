import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createLeaderLease, type KubeClient } from '@bourse/kube'
import type { AgentConfig } from '../config/index.ts'
import type { Log } from './log.ts'

/** The work that only the leader does. */
export type Work = Readonly<{ start(): void; stop(): Promise<void> }>

type Ports = Readonly<{
  client: KubeClient
  election: NonNullable<AgentConfig['election']>
  log: Log
  /** A term begins: creates new work each time, without the state of the last term. */
  enter(): Work
  /** The term has ended and its work has stopped. */
  left(): void
}>

/** Two leaders only double the traffic, so these times are generous. */
const TIMES = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 }

/** Works while it holds the lease, and stands by otherwise. */
export function takeTurns({ client, election, log, enter, left }: Ports) {
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
    onHolder: (holder) => log.info({ leader: holder?.identity }, 'another agent leads'),
    onTrouble: (err) => log.warn({ err }, 'cannot read or renew the lease'),
  })
  return { holder: () => lease.holder()?.identity, leave: lease.stop }
}
