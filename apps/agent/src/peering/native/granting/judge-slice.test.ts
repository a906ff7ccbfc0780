import { describe, expect, it } from 'vitest'
import type { HeldReservation } from '../../port/peering.ts'
import { type AskingSlice, askedIn, judgeSlice, type SliceFacts } from './judge-slice.ts'

const NOON = Date.UTC(2026, 10, 16, 12)
const GI = 1024n ** 3n

const aReservation = (more: Partial<HeldReservation> = {}): HeldReservation => ({
  id: 'rsv-k3x9a-1',
  requester: 'rome',
  resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n },
  expiresAt: NOON + 60_000,
  ...more,
})
const aSlice = (asked: Record<string, string>, more: Partial<AskingSlice> = {}): AskingSlice => ({
  key: 'liqo-tenant-rome-liqo/res-rsv-k3x9a-1',
  name: 'res-rsv-k3x9a-1',
  consumer: 'rome-liqo',
  liqoTenant: 'rome-liqo',
  isGranted: false,
  asked: askedIn(asked),
  ...more,
})
/** Cluster ids and Liqo ids are two things: rome's is `rome-liqo`. */
const someFacts = (more: Partial<SliceFacts> = {}): SliceFacts => ({
  reservations: [aReservation()],
  liqoIdOf: (requester) => `${requester}-liqo`,
  holderOf: () => undefined,
  extras: { pods: 110n },
  ...more,
})

describe('what is granted', () => {
  it.each([
    {
      name: 'what is reserved is granted as it was asked for',
      asked: { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1', pods: '110' },
      resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n, pods: 110n },
      reason: 'Granted',
      message: 'As reserved: 2 cpu, 4Gi memory, 1 nvidia.com/gpu, 110 pods.',
    },
    {
      name: 'less is granted where less is asked for, also none',
      asked: { cpu: '1500m', memory: '1Gi', 'nvidia.com/gpu': '0' },
      resources: { cpu: 1_500n, memory: GI, 'nvidia.com/gpu': 0n, pods: 110n },
      reason: 'Granted',
      message: 'As reserved: 1.5 cpu, 1Gi memory, 0 nvidia.com/gpu, 110 pods.',
    },
    {
      name: 'more than reserved is capped',
      asked: { cpu: '500', memory: '4Gi', 'nvidia.com/gpu': '8' },
      resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n, pods: 110n },
      reason: 'Capped',
      message: 'Capped at what rsv-k3x9a-1 reserves: 2 of 500 cpu, 1 of 8 nvidia.com/gpu.',
    },
    {
      name: 'what is not reserved at all, or no longer, is granted as none',
      asked: { cpu: '2', 'amd.com/gpu': '2' },
      resources: {
        cpu: 2_000n,
        memory: 4n * GI,
        'nvidia.com/gpu': 1n,
        pods: 110n,
        'amd.com/gpu': 0n,
      },
      reason: 'Capped',
      message: 'Capped at what rsv-k3x9a-1 reserves: 0 of 2 amd.com/gpu.',
    },
    {
      name: 'what is asked for no longer is granted as none',
      asked: { cpu: '2', 'amd.com/gpu': '0' },
      resources: {
        cpu: 2_000n,
        memory: 4n * GI,
        'nvidia.com/gpu': 1n,
        pods: 110n,
        'amd.com/gpu': 0n,
      },
      reason: 'Granted',
      message: 'As reserved: 2 cpu, 4Gi memory, 1 nvidia.com/gpu, 110 pods, 0 amd.com/gpu.',
    },
    {
      name: 'a slice that names no amounts gets what is reserved',
      asked: {},
      resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n, pods: 110n },
      reason: 'Granted',
      message: 'As reserved: 2 cpu, 4Gi memory, 1 nvidia.com/gpu, 110 pods.',
    },
    {
      name: 'slots for pods are given by agreement, not as many as one likes',
      asked: { cpu: '2', pods: '5000' },
      resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n, pods: 110n },
      reason: 'Capped',
      message: 'Capped at what rsv-k3x9a-1 reserves: 110 of 5000 pods.',
    },
    {
      name: 'an amount that cannot be read asks for no more than there is',
      asked: { cpu: 'a lot' },
      resources: { cpu: 2_000n, memory: 4n * GI, 'nvidia.com/gpu': 1n, pods: 110n },
      reason: 'Granted',
      message: 'As reserved: 2 cpu, 4Gi memory, 1 nvidia.com/gpu, 110 pods.',
    },
  ])('$name', ({ asked, resources, reason, message }) => {
    const verdict = judgeSlice(aSlice(asked), someFacts(), NOON)

    expect(verdict).toEqual({
      kind: 'grant',
      reservation: aReservation(),
      resources,
      reason,
      message,
    })
  })

  it('is what the reservation says of pods where it says something', () => {
    const reservations = [aReservation({ resources: { cpu: 1_000n, pods: 5n } })]

    const verdict = judgeSlice(aSlice({ pods: '20' }), someFacts({ reservations }), NOON)

    expect(verdict).toMatchObject({ resources: { cpu: 1_000n, pods: 5n } })
  })

  it('is none of what it had before, and is reserved no longer', () => {
    const slice = aSlice({}, { isGranted: true, had: { cpu: 2_000n, 'amd.com/gpu': 2n } })

    expect(judgeSlice(slice, someFacts(), NOON)).toMatchObject({
      resources: { cpu: 2_000n, 'amd.com/gpu': 0n },
      reason: 'Granted',
    })
  })

  it('has no end where the reservation has none', () => {
    const reservations = [aReservation({ expiresAt: undefined })]

    expect(judgeSlice(aSlice({}), someFacts({ reservations }), NOON)).toMatchObject({
      kind: 'grant',
    })
  })

  it('stays with the slice that has it', () => {
    const holderOf = () => 'liqo-tenant-rome-liqo/res-rsv-k3x9a-1'

    expect(judgeSlice(aSlice({}), someFacts({ holderOf }), NOON)).toMatchObject({ kind: 'grant' })
  })
})

describe('what is denied', () => {
  const nothing =
    'Slice res-rsv-k3x9a-1 belongs to no reservation of rome-liqo here: reserve first, and let the agent create the slice.'

  it.each([
    {
      name: 'a slice without a reservation',
      facts: { reservations: [] },
      reason: 'NoReservation',
      message: nothing,
    },
    {
      name: "a slice that is named after another requester's reservation, as if there were none",
      facts: { reservations: [aReservation({ requester: 'berlin' })] },
      reason: 'NoReservation',
      message: nothing,
    },
    {
      name: 'a reservation whose time is over, from that very moment on',
      facts: { reservations: [aReservation({ expiresAt: NOON })] },
      reason: 'ReservationExpired',
      message: 'Reservation rsv-k3x9a-1 ended at 2026-11-16T12:00:00.000Z.',
    },
    {
      name: 'a second slice for one reservation',
      facts: { holderOf: () => 'tenant-of-rome/res-rsv-k3x9a-1' },
      reason: 'ReservationHasSlice',
      message:
        'Reservation rsv-k3x9a-1 already has slice tenant-of-rome/res-rsv-k3x9a-1: each reservation has one slice.',
    },
  ])('$name', ({ facts, reason, message }) => {
    const verdict = judgeSlice(aSlice({ cpu: '1' }), someFacts(facts), NOON)

    expect(verdict).toEqual({ kind: 'deny', reason, message })
  })
})

describe('a tenant of Liqo that an operator has cordoned or drained', () => {
  it.each([
    { name: 'cordoned, gets nothing new', standing: 'Cordoned', isGranted: false, kind: 'deny' },
    { name: 'cordoned, keeps what it has', standing: 'Cordoned', isGranted: true, kind: 'grant' },
    { name: 'drained, has nothing', standing: 'Drained', isGranted: true, kind: 'deny' },
    { name: 'active, is like the others', standing: 'Active', isGranted: false, kind: 'grant' },
  ] as const)('$name', ({ standing, isGranted, kind }) => {
    const verdict = judgeSlice(aSlice({}, { standing, isGranted }), someFacts(), NOON)

    expect(verdict.kind).toBe(kind)
  })

  it('is told so', () => {
    const verdict = judgeSlice(aSlice({}, { standing: 'Cordoned' }), someFacts(), NOON)

    expect(verdict).toEqual({
      kind: 'deny',
      reason: 'TenantCordoned',
      message: 'An operator of this cluster has set Tenant rome-liqo to cordoned.',
    })
  })
})

describe('what is left alone', () => {
  it.each([
    { name: 'a slice that claims another consumer', slice: { consumer: 'berlin-liqo' } },
    { name: 'a slice that does not say whose it is', slice: { consumer: undefined } },
    { name: 'a slice outside of tenant namespaces', slice: { liqoTenant: undefined } },
  ])('$name', ({ slice }) => {
    expect(judgeSlice(aSlice({}, slice), someFacts(), NOON)).toEqual({
      kind: 'leave',
      isForNow: false,
    })
  })

  it('a slice of a requester whose Liqo id is not known yet', () => {
    const facts = someFacts({ liqoIdOf: () => undefined })

    expect(judgeSlice(aSlice({}), facts, NOON)).toEqual({ kind: 'leave', isForNow: true })
  })
})
