import { randomUUID } from 'node:crypto'
import type { KubeClient } from '@bourse/kube'
import type { Stamp } from '../communicator/broker-communicator.ts'
import { BrokerBusy } from '../communicator/errors.ts'
import {
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
  /** What could not be cleared away; it is tried again another time. */
  onTrouble(fault: Error): void
}>
type Known = Readonly<{ ledgerId: string; index: number }>
/** Ledgers change once in a blue moon; this is only a bound. */
const LEDGERS_MAX = 16

export const ANSWER_WITHIN_MS = 10_000

/**
 * Which ledger is behind the objects, and how far it is. Objects alone do not say: an empty API
 * server looks like a broker that holds nothing. So the broker is asked when nothing is known yet,
 * when something vanished without having ended, and when something is held by another ledger.
 */
export function createLedgerSense(ports: Ports) {
  const { client, place, requested, closing } = ports
  const indexes = new Map<string, number>()
  let ledgerId: string | undefined
  let doubts = 1
  let settled = 0
  let asking: Promise<void> | undefined

  return { saw, stamp, ask }

  function saw(object: ReservationObject, isGone: boolean): void {
    const { ledgerID, ledgerIndex = 0 } = object.status ?? {}
    if (ledgerID !== undefined) note({ ledgerId: ledgerID, index: ledgerIndex })
    const isAnothers = ledgerId !== undefined && ledgerID !== ledgerId
    if (isHeld(object) && (isGone || isAnothers)) doubts++
  }

  function note({ ledgerId, index }: Known): void {
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
    const time = client.serverTime()
    return {
      ...(ledgerId !== undefined && { ledgerId }),
      ...(index !== undefined && { index }),
      ...(time && { brokerTimeOffsetMs: Math.round(time.offsetMs) }),
    }
  }

  async function settle(): Promise<void> {
    const upTo = doubts
    await ask()
    settled = upTo
  }

  /** A Reservation that asks for nothing: the answer names the ledger and its index. */
  async function ask(): Promise<void> {
    const name = questionName(place.clusterId, randomUUID())
    const { metadata } = await client.create(RESERVATION, releasedEarly(place, name))
    const answered = await requested
      .until((objects) => answerTo(metadata.uid, objects), {
        withinMs: ANSWER_WITHIN_MS,
        signal: closing,
      })
      .finally(() => client.delete(RESERVATION, metadata).then(undefined, ports.onTrouble))
    if (!answered) throw noAnswer(place)
    ledgerId = answered.ledgerId
    note(answered)
  }
}

function answerTo(uid: string | undefined, objects: Iterable<ReservationObject>) {
  for (const { metadata, status } of objects)
    if (metadata.uid === uid && status?.ledgerID !== undefined)
      return { ledgerId: status.ledgerID, index: status.ledgerIndex ?? 0 }
  return undefined
}

export function noAnswer({ namespace }: Place): BrokerBusy {
  return new BrokerBusy(
    `No broker has answered within ${ANSWER_WITHIN_MS / 1_000} s: does one run, with the ` +
      `kubernetes interface, that watches the namespace ${namespace}?`,
    503,
  )
}
