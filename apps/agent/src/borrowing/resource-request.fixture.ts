import { BrokerRefused, type ReservationOutcome } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import { aReservation } from '../instructions/instruction.fixture.ts'
import type { Entry } from '../instructions/instruction-book.ts'
import { termsOf } from '../instructions/terms.ts'
import type { RequesterBook } from './requester-book.ts'
import type { ResourceRequest } from './resource-request.ts'
import { createFarewell } from './resource-request-farewell.ts'
import { createResourceRequestReconciler } from './resource-request-reconciler.ts'

export const FINALIZER = 'resourcerequest.liqo.io/finalizer'
const NOW = Date.UTC(2026, 0, 1)

type World = Readonly<{
  /** What the broker answers to each verb; thrown if it is an error. */
  answers?: Readonly<Record<string, unknown>>
  live?: readonly Reservation[]
  isComplete?: boolean
  isElsewhere?: boolean
}>

/** A reconciler among values: it notes, in order, what was done to the world. */
export function aReconciler({ answers = {}, live = [], ...more }: World = {}) {
  const deeds: string[] = []
  const entries = new Map(live.map((one) => [one.id, entryOf(one)]))
  const answer = async (verb: string, argument: unknown) => {
    deeds.push(`${verb} ${JSON.stringify(argument)}`)
    if (answers[verb] instanceof Error) throw answers[verb]
    // Each test says what its broker answers.
    return answers[verb] as never
  }
  const broker = {
    requestReservation: ({ requestId, duration }: object & Record<string, unknown>) =>
      answer('reserve', [requestId, duration]),
    renew: (id: string, duration: string) => answer('renew', [id, duration]),
    getReservation: (id: string) => answer('get', id),
    release: (which: object) => answer('release', which),
  }
  const book: RequesterBook = {
    find: (uid, name = '') =>
      entries.get(name) ?? [...entries.values()].find((one) => one.reservation?.requestId === uid),
    isComplete: () => more.isComplete ?? true,
    isElsewhere: (_, { ledgerId } = {}) => more.isElsewhere ?? ledgerId === 'L2',
    noteGrant: async ({ id }) => void deeds.push(`instruct ${id}`),
    noteChange: ({ id }) => void deeds.push(`note ${id}`),
    noteEnd: (id) => void deeds.push(`forget ${id}`),
    withdraw: async (id) => deeds.push(`withdraw ${id}`) > 0,
    discard: async (id) => void deeds.push(`discard ${id}`),
    stepsOf: () => [],
    brokerNow: () => NOW,
  }
  const objects = {
    async protect(request: ResourceRequest) {
      if (request.metadata.finalizers?.includes(FINALIZER)) return request
      deeds.push('protect')
      const metadata = { ...request.metadata, finalizers: [FINALIZER] }
      return { ...request, metadata }
    },
    unprotect: async () => void deeds.push('unprotect'),
  }
  const clock = { now: () => NOW, random: () => 0.5 }
  const warn = (_: unknown, { reason }: { reason: string }) => void deeds.push(`warn ${reason}`)
  const farewell = createFarewell({ broker, book, objects, warn, clock })
  const ports = { broker, book, objects, farewell, clock }
  return { ...createResourceRequestReconciler(ports), deeds }
}

function entryOf(reservation: Reservation): Entry {
  return { terms: termsOf(reservation, 'requester'), isGranted: true, reservation, ledgerId: 'L1' }
}

type Asked = Partial<ResourceRequest['metadata']> &
  Readonly<{ status?: ResourceRequest['status']; duration?: string }>

export function aRequest({ status, duration, ...metadata }: Asked = {}): ResourceRequest {
  return {
    apiVersion: 'liqo.io/v1alpha1',
    kind: 'ResourceRequest',
    metadata: { name: 'job', namespace: 'default', uid: 'uid-1', generation: 1, ...metadata },
    spec: { cpu: '2', memory: '4Gi', priority: 0, ...(duration && { duration }) },
    ...(status && { status }),
  }
}

export const reserved: Partial<ReservationOutcome> = {
  kind: 'reserved',
  requestId: 'uid-1',
  reservation: aReservation('rsv-1', { requestId: 'uid-1' }),
  isNew: true,
}
export const held = { phase: 'Reserved', reservationName: 'rsv-1', observedGeneration: 1 } as const
export const refused = (
  code: 'InvalidRequest' | 'RequestIdReused' | 'ClusterDenied',
  status: number,
) => new BrokerRefused('The sentence of the broker.', { status, code })
