import {
  type Advertisement,
  type Cluster,
  createLedger,
  type Reservation,
} from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { settings } from '../../fixtures/store/samples/ledger-samples.ts'
import { toAdvertisement } from '../http/advertisements/advertisement-reply.ts'
import { toReservation } from '../http/reservations/reservation-reply.ts'
import { reservationStatus } from '../kubernetes/objects/reservation-status.ts'
import { clusterMirrorSpec } from '../kubernetes/outbound/cluster-mirror.ts'
import { reservationMirrorSpec } from '../kubernetes/outbound/reservation-mirror.ts'
import { ADVERTISEMENT_FIELDS, RESERVATION_FIELDS } from '../store/codec/fields.ts'

/** Two reservations that have every field, and none in common. */
const one: Required<Reservation> = {
  id: 'rsv-1',
  requester: 'rome',
  door: 'rest',
  requestId: 'r1',
  fingerprint: 'f1',
  wanted: { cpu: 1_000n, 'nvidia.com/gpu': 1n },
  aliases: ['gpu'],
  priority: 1,
  pinned: 'paris',
  oneNode: true,
  largestNode: { cpu: 500n },
  isNodeRounded: true,
  legs: [{ clusterId: 'paris', resources: { cpu: 1_000n } }],
  phase: 'Released',
  createdAt: 1_000,
  startsAt: 2_000,
  expiresAt: 9_000_000,
  activatedAt: 3_000,
  endedAt: 4_000,
  reason: 'Released',
  endedBy: 'operator:ana@rest',
  endedWhy: 'maintenance',
  price: { perHour: 1n, currency: 'EUR' },
  decidedIndex: 1,
  changedIndex: 2,
}
const other: Required<Reservation> = {
  id: 'rsv-2',
  requester: 'oslo',
  door: 'kubernetes',
  requestId: 'r2',
  fingerprint: 'f2',
  wanted: { cpu: 2_000n },
  aliases: ['storage'],
  priority: 2,
  pinned: 'bern',
  oneNode: true,
  largestNode: { cpu: 600n },
  isNodeRounded: true,
  legs: [{ clusterId: 'bern', resources: { cpu: 2_000n } }],
  phase: 'Reserved',
  createdAt: 11_000,
  startsAt: 12_000,
  expiresAt: 19_000_000,
  activatedAt: 13_000,
  endedAt: 14_000,
  reason: 'Withdrawn',
  endedBy: 'operator:eva@grpc',
  endedWhy: 'repairs',
  price: { perHour: 2n, currency: 'USD' },
  decidedIndex: 11,
  changedIndex: 12,
}

describe('a reservation', () => {
  const wire = (reservation: Reservation) => toReservation(reservation, () => ({ isStale: false }))
  const mirror = (reservation: Reservation) => ({
    spec: reservationMirrorSpec(reservation),
    status: reservationStatus(reservation, {
      ledgerId: 'ledger-1',
      generation: 1,
      endpointOf: () => undefined,
    }),
  })

  it('is shown over the wire with all fields but these', () => {
    expect(hidden(RESERVATION_FIELDS, one, other, wire)).toEqual([
      'door',
      'decidedIndex',
      'fingerprint',
      // While it is live, the message says it.
      'isNodeRounded',
    ])
  })

  it('is shown as an object with all fields but these', () => {
    expect(hidden(RESERVATION_FIELDS, one, other, mirror)).toEqual([
      'door',
      'createdAt',
      'decidedIndex',
      'requestId',
      'fingerprint',
      'price',
      'pinned',
      // While it is live, the message says these.
      'largestNode',
      'isNodeRounded',
    ])
  })
})

const said: Required<Advertisement> = {
  clusterName: 'Paris',
  capacity: { cpu: 8_000n, 'nvidia.com/gpu': 1n },
  allocatable: { cpu: 7_000n },
  allocated: { cpu: 1_000n },
  used: { 'rsv-1': { cpu: 500n } },
  cost: { currency: 'EUR', cpu: 1n },
  endpointUrl: 'https://paris.example',
  location: 'FR',
  labels: { tier: 'gold' },
  visibility: 'full',
  largestFit: { cpu: 1_000n },
  seenIndex: 1,
  gpuModels: { A100: 1 },
  liqo: { version: 'v1' },
  stamp: '1',
  isUnclaimed: true,
  aliases: ['gpu'],
}
const saidElse: Required<Advertisement> = {
  clusterName: 'Ville de Paris',
  capacity: { cpu: 9_000n },
  allocatable: { cpu: 6_000n },
  allocated: { cpu: 2_000n },
  used: { 'rsv-2': { cpu: 600n } },
  cost: { currency: 'USD', cpu: 2n },
  endpointUrl: 'https://paris2.example',
  location: 'IT',
  labels: { tier: 'silver' },
  visibility: 'summary',
  largestFit: { cpu: 2_000n },
  seenIndex: 2,
  gpuModels: { H100: 1 },
  liqo: { version: 'v2' },
  stamp: '2',
  isUnclaimed: false,
  aliases: ['storage'],
}

describe('an advertisement', () => {
  const ledger = createLedger(settings)
  const command = { kind: 'advertise', door: 'rest', clusterId: 'paris' } as const
  ledger.execute({ ...command, advertisement: said }, { now: 1_000, index: 1 })
  const [cluster, standing] = [ledger.cluster('paris'), ledger.standing('paris')]
  if (!cluster || !standing) throw new Error('Paris did not advertise')
  const withSaid = (advertisement: Advertisement): Cluster => ({ ...cluster, advertisement })

  it('is shown over the wire with all fields but these', () => {
    const wire = (advertisement: Advertisement) => toAdvertisement(withSaid(advertisement), ledger)

    expect(hidden(ADVERTISEMENT_FIELDS, said, saidElse, wire)).toEqual([
      'seenIndex',
      'stamp',
      'isUnclaimed',
    ])
  })

  it('is shown as an object with all fields but these', () => {
    const mirror = (advertisement: Advertisement) =>
      clusterMirrorSpec(withSaid(advertisement), standing)

    expect(hidden(ADVERTISEMENT_FIELDS, said, saidElse, mirror)).toEqual([
      'used',
      'largestFit',
      'seenIndex',
      'gpuModels',
      'liqo',
      'stamp',
      'isUnclaimed',
    ])
  })
})

/** The fields of a table that can be changed, or left out, without a reader noticing. */
function hidden<T extends object>(
  table: Readonly<Record<keyof T, Readonly<{ isOptional?: true }> | object>>,
  whole: Required<T>,
  different: Required<T>,
  show: (value: T) => unknown,
): string[] {
  const before = JSON.stringify(show(whole))
  // The table's own keys, which the compiler has compared with those of the type.
  const keys = Object.keys(table) as (keyof T & string)[]
  return keys.filter((key) => {
    const changed = JSON.stringify(show({ ...whole, [key]: different[key] }))
    const { [key]: _gone, ...rest } = whole
    const isOptional = 'isOptional' in table[key]
    // What is left of it is whole: only what may be absent is.
    const left = isOptional ? JSON.stringify(show(rest as unknown as T)) : before
    return changed === before && left === before
  })
}
