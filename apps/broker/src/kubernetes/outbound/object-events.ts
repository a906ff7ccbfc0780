import { hostname } from 'node:os'
import {
  clusterAdvertisementKind,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import {
  apiVersionOf,
  createEventRecorder,
  type EventNote,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectReference,
} from '@bourse/kube'
import type { ObjectFacts } from '../objects/object-facts.ts'

const CONTROLLER = 'bourse.dev/broker'

/** Tells people what happens to their objects, in Kubernetes Events. */
export function createObjectEvents(
  client: Pick<KubeClient, 'create' | 'mergePatch'>,
  perSecond: () => number,
) {
  const instance = hostname()
  const recorder = createEventRecorder({ client, controller: CONTROLLER, instance, perSecond })

  return {
    tell(object: ObjectFacts, before: ReservationStatus, after: ReservationStatus): void {
      const event = eventOf(before, after)
      if (event) recorder.record({ regarding: referenceTo(reservationKind, object), ...event })
    },
    warnOfReservation: (object: ObjectFacts, reason: string, note: string) =>
      warn(referenceTo(reservationKind, object), reason, note),
    warnOfCluster: (object: ObjectFacts, reason: string, note: string) =>
      warn(referenceTo(clusterAdvertisementKind, object), reason, note),
    /** Of an object as the server has it. */
    warnOf: ({ apiVersion, kind, metadata }: KubeObject, reason: string, note: string) => {
      const { name, namespace, uid, resourceVersion } = metadata
      warn({ apiVersion, kind, name, namespace, uid, resourceVersion }, reason, note)
    },
    stop: recorder.stop,
  }

  function warn(regarding: ObjectReference, reason: string, note: string): void {
    recorder.record({ regarding, type: 'Warning', action: 'Reconcile', reason, note })
  }
}

function referenceTo(kind: Kind, { name, namespace, uid, resourceVersion }: ObjectFacts) {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, namespace, uid, resourceVersion }
}

type ObjectEvent = Pick<EventNote, 'type' | 'reason' | 'action' | 'note'>

/** What happened between two statuses, as `kubectl describe` tells it; undefined: nothing. */
export function eventOf(
  before: ReservationStatus,
  after: ReservationStatus,
): ObjectEvent | undefined {
  const { message: note = '', phase } = after
  if (phase === before.phase) {
    const isRenewed = before.expiresAt !== after.expiresAt
    return isRenewed ? normal('Renewed', 'Renew', `Lasts until ${after.expiresAt}`) : undefined
  }
  switch (phase) {
    case 'Reserved':
      return normal('Reserved', 'Reserve', untilOf(note, after))
    case 'Active':
      return normal('Activated', 'Activate', note)
    case 'Released':
      // It never had anything: there is nothing to report.
      if (before.phase === undefined || before.phase === 'Pending') return undefined
      return normal(after.reason ?? 'Released', 'Release', note)
    case 'Failed':
      return { type: 'Warning', reason: after.reason ?? 'Failed', action: 'Reserve', note }
    default:
      return undefined
  }
}

function untilOf(note: string, { expiresAt }: ReservationStatus): string {
  return expiresAt === undefined ? note : `${note} until ${expiresAt}`
}

function normal(reason: string, action: string, note: string): ObjectEvent {
  return { type: 'Normal', reason, action, note }
}
