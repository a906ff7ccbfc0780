import type { BrokerCommunicator } from '@bourse/client'
import { type Clock, createWorkQueue, ignoring, isNotFound, type KubeClient } from '@bourse/kube'
import { RESOURCE_REQUEST } from '../kubernetes/kinds.ts'
import type { Log } from '../runtime/log.ts'
import { giveUp } from './give-up.ts'
import type { RequesterReservations } from './requester-reservations.ts'
import { type ResourceRequest, uidOf } from './resource-request.ts'

/** A ResourceRequest that may be gone, and its reservation, if known. */
export type Suspect = Readonly<{
  namespace: string
  name: string
  uid: string
  reservation?: string | undefined
}>

type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  broker: Pick<BrokerCommunicator, 'release'>
  reservations: RequesterReservations
  log: Log
  clock: Clock
}>

const BACKOFF = { baseMs: 500, capMs: 30_000 }
const GIVING_BACK_AGAIN_MS = 500
const OTHER_LEDGER_AGAIN_MS = 30_000

/**
 * Gives up the reservation of a ResourceRequest that was deleted by removing its finalizer.
 *
 *   suspected ──► read by name: gone ──► reservation given up ──► instruction gone
 */
export function createLeftBehind(ports: Ports) {
  const { client, broker, reservations, log, clock } = ports
  const suspects = new Map<string, Suspect>()
  const queue = createWorkQueue({
    work: look,
    backoff: BACKOFF,
    clock,
    onTrouble: (err, uid, pauseMs) =>
      log.warn({ request: nameOf(uid), pauseMs, err }, 'not released yet'),
  })
  const nameOf = (uid: string) => `${suspects.get(uid)?.namespace}/${suspects.get(uid)?.name}`

  return {
    suspect(one: Suspect): void {
      suspects.set(one.uid, one)
      queue.add(one.uid)
    },
    /** The broker answers again. */
    lookAgain(): void {
      for (const uid of suspects.keys()) queue.add(uid)
    },
    stop: queue.stop,
  }

  async function look(uid: string) {
    const suspect = suspects.get(uid)
    if (!suspect) return undefined
    if (await isThere(suspect)) {
      suspects.delete(uid)
      return undefined
    }
    const id = reservations.find(uid, suspect.reservation)?.terms.id ?? suspect.reservation
    const outcome = await giveUp({ broker, reservations }, uid, id)
    if (outcome === 'withdrawing') return { againAfterMs: GIVING_BACK_AGAIN_MS }
    if (outcome === 'elsewhere') return { againAfterMs: OTHER_LEDGER_AGAIN_MS }
    if (outcome !== 'released' && !outcome.isFinal) throw new Error(outcome.message)
    if (id !== undefined) await reservations.discard(id)
    log.info(
      { request: nameOf(uid), reservation: id },
      'released the reservation of a ResourceRequest that lost its finalizer',
    )
    suspects.delete(uid)
    return undefined
  }

  /** A direct read: the watch may be behind. */
  async function isThere({ name, namespace, uid }: Suspect): Promise<boolean> {
    const found = await ignoring(
      isNotFound,
      client.get<ResourceRequest>(RESOURCE_REQUEST, name, namespace),
    )
    return found !== undefined && uidOf(found) === uid
  }
}
