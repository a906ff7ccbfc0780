import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createLeaderLease, type Holder, type KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { ElectionConfig } from '../config/index.ts'

type Ports = Readonly<{
  election: ElectionConfig
  client: KubeClient
  /** Our address as leader. */
  address: string
  log: Logger
  crash(cause: Error): void
}>

export type Candidacy = ReturnType<typeof createCandidacy>

const NOT_LEADING = 'This broker has lost its lease, and another one may lead.'

/**
 *   stand by ──► lead ──► resign            (SIGTERM: drained, and the lease given back)
 *      ▲           │
 *      │           ├─► lease lost ──► lead  (the lease came back, and no other broker wrote)
 *   restart ◄──────┴──────┘                 (another broker leads or has written)
 *
 * The lease only decides who tries to lead. The journal ensures that a single leader commits.
 */
export function createCandidacy({ election, client, address, log, crash }: Ports) {
  const { name, leaseMs, renewMs, retryMs, namespace = client.namespace } = election
  const identity = `${hostname()}-${randomBytes(4).toString('hex')}`
  const elected = Promise.withResolvers<void>()
  let holder: Holder | undefined
  let isLeading = false
  let isConfirmed = true
  let isStillOurs = async () => true
  let lease: ReturnType<typeof createLeaderLease> | undefined

  return {
    identity,
    elected: elected.promise,
    /** Call it when the replica is open. */
    start,
    /** The address of another broker that leads. */
    leader: () =>
      holder?.identity === identity ? undefined : (holder?.address ?? holder?.identity),
    awaitLeadership: () => {
      isLeading = true
    },
    /** Why we must not answer although elected; undefined while no other broker can lead. */
    whyNotLeading: () => (lease?.isLeader() && isConfirmed ? undefined : NOT_LEADING),
    /** After a lost lease came back, we lead on only if no other broker has written meanwhile. */
    confirmWith: (ask: () => Promise<boolean>) => {
      isStillOurs = ask
    },
    stop: async () => lease?.stop(),
  }

  function start(): void {
    lease = createLeaderLease({
      client,
      namespace,
      name,
      identity,
      address,
      leaseMs,
      renewMs,
      retryMs,
      onLead: () => (isLeading ? comeBack() : elected.resolve()),
      onLost: (why) => {
        isConfirmed = false
        if (why !== 'released') log.warn({ why }, 'the lease is lost')
      },
      onHolder,
      onTrouble: ({ message }) => log.warn({ reason: message }, 'the lease cannot be renewed'),
    })
  }

  function onHolder(next: Holder | undefined): void {
    holder = next
    log.info({ leader: next?.identity ?? 'none' }, 'leadership changed')
    if (isLeading && next && next.identity !== identity)
      crash(new Error(`${next.identity} leads now: this broker starts again, to stand by.`))
  }

  function comeBack(): void {
    isStillOurs().then((isOurs) => {
      isConfirmed = isOurs
      if (!isOurs) crash(new Error('Another broker has led meanwhile: this one starts again.'))
    }, crash)
  }
}
