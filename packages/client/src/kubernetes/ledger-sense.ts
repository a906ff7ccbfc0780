import { randomUUID } from 'node:crypto'
import type { KubeClient } from '@bourse/kube'
import type { Stamp } from '../communicator/broker-communicator.ts'
import { BrokerBusy } from '../communicator/errors.ts'
import { present } from '../communicator/present.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import {
  type AdvertisementObject,
  type Place,
  questionName,
  RESERVATION,
  type ReservationObject,
  releasedEarly,
} from './broker-objects.ts'
import { isHeld } from './read-objects.ts'
import type { ReservationSet } from './reservation-set.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'delete' | 'serverTime'>
  place: Place
  requested: Pick<ReservationSet, 'until'>
  closing: AbortSignal
  seen: Pick<SeenProofs, 'heard' | 'remember' | 'proofOf'>
  /** An object could not be deleted; retried another time. */
  onTrouble(fault: Error): void
}>
type Known = Readonly<{ ledgerId: string; index: number; proof?: string | undefined }>
/** A ledger is rarely replaced; this is only a bound. */
const LEDGERS_MAX = 16

export const ANSWER_WITHIN_MS = 10_000

/**
 * Which ledger is behind the objects, and its index. Objects alone do not tell: an empty API
 * server looks like a broker that holds nothing. So the broker is asked when nothing is known yet,
 * when an object vanished without having ended, and when an object names another ledger.
 */
export function createLedgerSense(ports: Ports) {
  const { client, place, requested, seen, closing } = ports
  const indexes = new Map<string, number>()
  let ledgerId: string | undefined
  let doubts = 1
  let settled = 0
  let asking: Promise<void> | undefined

  return { saw, sawProof, stamp, ask }

  function saw(object: ReservationObject, isGone: boolean): void {
    const known = knownOf(object)
    if (known) note(known)
    const isAnothers = ledgerId !== undefined && known?.ledgerId !== ledgerId
    if (isHeld(object) && (isGone || isAnothers)) doubts++
  }

  /** Not the index of an answer: reservations up to it may not be visible yet. */
  function sawProof(object: AdvertisementObject): void {
    const known = knownOf(object)
    if (known) keepProof(known)
  }

  function keepProof({ ledgerId, proof }: Known): void {
    if (proof !== undefined) seen.remember({ ledgerId, proof })
  }

  function note(known: Known): void {
    const { ledgerId, index } = known
    keepProof(known)
    if (!indexes.has(ledgerId) && indexes.size >= LEDGERS_MAX) indexes.clear()
    indexes.set(ledgerId, Math.max(indexes.get(ledgerId) ?? 0, index))
  }

  async function stamp(): Promise<Stamp> {
    if (settled < doubts) {
      asking ??= settle().finally(() => {
        asking = undefined
      })
      await asking
    }
    const index = ledgerId === undefined ? undefined : indexes.get(ledgerId)
    const proof = ledgerId === undefined ? undefined : seen.proofOf(ledgerId)
    const time = client.serverTime()
    return present({
      ledgerId,
      index,
      proof,
      brokerTimeOffsetMs: time && Math.round(time.offsetMs),
    })
  }

  async function settle(): Promise<void> {
    const upTo = doubts
    await ask()
    settled = upTo
  }

  /** Creates a Reservation that requests nothing: the answer names the ledger and its index. */
  async function ask(): Promise<void> {
    const name = questionName(place.clusterId, randomUUID())
    const { metadata } = await client.create(RESERVATION, releasedEarly(place, name))
    const answered = await requested
      .until((objects) => answerTo(metadata.uid, objects), {
        withinMs: ANSWER_WITHIN_MS,
        signal: closing,
      })
      .finally(() => client.delete(RESERVATION, metadata).catch(ports.onTrouble))
    if (!answered) throw noAnswer(place)
    ledgerId = answered.ledgerId
    note(answered)
    seen.heard({ ledgerId })
  }
}

function answerTo(uid: string | undefined, objects: Iterable<ReservationObject>) {
  for (const object of objects) if (object.metadata.uid === uid) return knownOf(object)
  return undefined
}

function knownOf({ status }: ReservationObject | AdvertisementObject): Known | undefined {
  const { ledgerID, ledgerIndex = 0, ledgerProof } = status ?? {}
  return ledgerID === undefined
    ? undefined
    : { ledgerId: ledgerID, index: ledgerIndex, proof: ledgerProof }
}

export function noAnswer({ namespace }: Place): BrokerBusy {
  return new BrokerBusy(
    `No broker answered within ${ANSWER_WITHIN_MS / 1_000} s: is one running with the ` +
      `kubernetes interface, and does it watch the namespace ${namespace}?`,
    503,
  )
}
