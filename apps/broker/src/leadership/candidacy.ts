import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createLeaderLease, type Holder, type KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { ElectionConfig } from '../config/index.ts'

type Ports = Readonly<{
  election: ElectionConfig
  client: KubeClient
  /** Where we are reached once we lead. */
  address: string
  log: Logger
  crash(cause: Error): void
}>

export type Candidacy = ReturnType<typeof createCandidacy>

const NOT_LEADING = 'This broker has lost its lease, and another one may lead.'

/**
 *   stand by ──► lead ──► resign            (SIGTERM: drained, and the lease given back)
 *      ▲           │
 *      │           ├─► ousted ──► lead      (the lease was lost, and is ours again untouched)
 *   restart ◄──────┴──────┘                 (somebody else leads, or has written)
 *
 * The lease only decides who tries. That nobody commits beside the leader is the journal's doing.
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
    /** Only when there is something to lead with. */
    start,
    /** Where whoever else leads is reached. */
    leader: () =>
      holder?.identity === identity ? undefined : (holder?.address ?? holder?.identity),
    awaitLeadership: () => {
      isLeading = true
    },
    /** Why we must not answer though we were elected; undefined while nobody else can lead. */
    whyNotLeading: () => (lease?.isLeader() && isConfirmed ? undefined : NOT_LEADING),
    /** A lost lease that comes back to us is ours again only if nobody has written meanwhile. */
    confirmWith: (ask: () => Promise<boolean>) => {
      isStillOurs = ask
    },
    stop: async () => lease?.stop(),
  }

  function start(): void {
    lease = createLeaderLease({
      ...{ client, namespace, name, identity, address, leaseMs, renewMs, retryMs },
      onLead: () => (isLeading ? comeBack() : elected.resolve()),
      onLost: (why) => {
        isConfirmed = false
        if (why !== 'released') log.warn({ why }, 'the lease is lost')
      },
      onHolder,
      onTrouble: ({ message }) => log.warn({ reason: message }, 'the lease cannot be looked after'),
    })
  }

  function onHolder(next: Holder | undefined): void {
    holder = next
    log.info({ leader: next?.identity ?? 'nobody' }, 'leadership changed')
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
