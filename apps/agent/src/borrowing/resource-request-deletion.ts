import type { BrokerCommunicator } from '@bourse/client'
import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { backoffMs, type Clock, hasFinalizer, type Next } from '@bourse/kube'
import { giveUp } from './give-up.ts'
import { isLive, type RequesterReservations } from './requester-reservations.ts'
import {
  isFinished,
  RESOURCE_REQUEST_FINALIZER,
  type ResourceRequest,
  uidOf,
} from './resource-request.ts'
import type { Said } from './resource-request-status.ts'

type Ports = Readonly<{
  broker: Pick<BrokerCommunicator, 'release'>
  reservations: RequesterReservations
  objects: Readonly<{ unprotect(request: ResourceRequest): Promise<void> }>
  warn(request: ResourceRequest, said: Said): void
  clock: Pick<Clock, 'random'>
}>

type Outcome = Next<ResourceRequestStatus>
export type Deletion = (request: ResourceRequest) => Promise<Outcome>

const BACKOFF = { baseMs: 500, capMs: 30_000 }
const GIVING_BACK_AGAIN_MS = 500

/**
 * Undoes everything that was made for a deleted request.
 *
 *   reservation given up ──► instruction gone ──► finalizer off
 *
 * While the broker is unreachable the object stays, and its status says why.
 */
export function createDeletion({ broker, reservations, objects, warn, clock }: Ports): Deletion {
  const attempts = new Map<string, number>()

  return async function deletion(request) {
    if (!hasFinalizer(request, RESOURCE_REQUEST_FINALIZER)) return {}
    const entry = reservations.find(uidOf(request), request.status?.reservationName)
    const id = entry?.terms.id ?? request.status?.reservationName
    if (!isFinished(request) || isLive(entry)) {
      const outcome = await giveUp({ broker, reservations }, uidOf(request), id)
      if (outcome === 'withdrawing') return { againAfterMs: GIVING_BACK_AGAIN_MS }
      if (outcome === 'elsewhere') return stay(request, ELSEWHERE)
      if (outcome !== 'released') {
        if (!outcome.isFinal) return stay(request, outcome)
        warn(request, outcome)
      }
      if (id !== undefined) await reservations.discard(id)
    }
    // Everything is released before the finalizer is removed: after that there is no retry.
    await objects.unprotect(request)
    attempts.delete(uidOf(request))
    return {}
  }

  function stay(request: ResourceRequest, { reason, message }: Said): Outcome {
    const count = (attempts.get(uidOf(request)) ?? 0) + 1
    attempts.set(uidOf(request), count)
    const said = `It will be released as soon as possible: ${message}`
    if (count === 1) warn(request, { reason, message: said })
    const againAfterMs = backoffMs(count, BACKOFF, clock.random())
    return { status: { ...request.status, message: said }, againAfterMs }
  }
}

const ELSEWHERE: Said = {
  reason: 'OtherLedger',
  message:
    'the broker answers from another ledger than the one that granted this. Restore that ledger, ' +
    'or confirm the new one on the Advertisement',
}
