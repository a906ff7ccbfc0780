import { hostname } from 'node:os'
import type { KubeClient } from '@bourse/kube'
import type { ElectionConfig } from '../config/index.ts'
import type { Replica } from '../ledger/opening/open-replica.ts'
import type { Journal } from '../store/port/journal.ts'
import type { LeadershipPorts } from './await-leadership.ts'
import { type Candidacy, createCandidacy } from './candidacy.ts'
import { startFollower } from './follower.ts'
import { createPodRole } from './pod-role.ts'
import { openStandbyServer, type StandbyServer } from './standby-server.ts'

type Ports = Omit<LeadershipPorts, 'store' | 'client'> &
  Readonly<{
    election: ElectionConfig
    client: KubeClient
    journal: Journal
    openReplica(): Promise<Replica>
  }>

export type Standing = Readonly<{
  /** Its replica is open: it could lead at once. */
  isWarm: boolean
  /** How far it has followed the journal; 0 while it is not warm. */
  index: number
  leader: string
  trouble: string | undefined
}>

export type Leadership = Pick<Candidacy, 'whyNotLeading' | 'leader' | 'confirmWith'> &
  Readonly<{
    replica: Replica
    /** Answers at the API's address until the API itself does. */
    standbyServer?: StandbyServer | undefined
    trouble(): string | undefined
    /** Gives the lease back, so that the next leader need not wait for it to expire. */
    resign(): Promise<void>
  }>

/** Follows the leader until this broker is elected; undefined if it is told to stop before. */
export async function standBy(ports: Ports): Promise<Leadership | undefined> {
  const { config, election, client, journal, connections, log, crash, signal } = ports
  const { follow } = journal
  if (!follow) throw new Error('This store cannot be followed: use it without --leader-elect.')
  const { http } = config
  const address = election.publicUrl ?? `https://${http?.host ?? hostname()}:${http?.port ?? 0}`
  const candidacy = createCandidacy({ election, client, address, log, crash })
  const { identity, whyNotLeading, leader, confirmWith } = candidacy
  const role = podRole(client)
  const standbyServer = http && (await openStandbyServer({ http, leader, connections, log }))
  const follower = startFollower({ journal: { follow }, open: ports.openReplica, log, crash })
  ports.standing(() => ({
    isWarm: follower.isWarm(),
    index: follower.index(),
    leader: leader() ?? 'no broker',
    trouble: follower.trouble(),
  }))
  const stopped = abortOf(signal)
  await Promise.race([follower.warm, stopped])
  candidacy.start()
  void role?.show('standby')
  log.info({ identity, index: follower.index() }, 'standing by')
  await Promise.race([candidacy.elected, stopped])

  const followed = await follower.stop()
  if (signal?.aborted) {
    await resign()
    await followed?.close()
    return undefined
  }
  // Undefined if the follower had fallen too far behind and was about to load a snapshot.
  const replica = followed ?? (await ports.openReplica())
  candidacy.awaitLeadership()
  log.info({ identity, index: replica.head().index }, 'elected')
  void role?.show('leader')
  return {
    replica,
    standbyServer,
    whyNotLeading,
    leader,
    confirmWith,
    resign,
    trouble: () => role?.trouble(),
  }

  async function resign(): Promise<void> {
    await standbyServer?.close()
    await role?.show('standby')
    await role?.stop()
    await candidacy.stop()
  }
}

function podRole(client: KubeClient) {
  const { POD_NAME: name, POD_NAMESPACE: namespace = client.namespace } = process.env
  return name === undefined ? undefined : createPodRole({ client, pod: { name, namespace } })
}

function abortOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
