import type { Advertisement, Command, LedgerEvent, Reservation } from '@bourse/domain/ledger'
import { createLedger } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import { describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { createLedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { NO_HEAD } from '../../store/codec/batch.ts'
import type { DecisionRecord } from '../../store/port/history.ts'
import { createLiveOverview } from './live-overview.ts'
import { createRecentRefusals } from './recent-refusals.ts'

const NOW = 1_000_000

const advertise = (clusterId: string, facts: Partial<Advertisement> = {}): Command => ({
  kind: 'advertise',
  door: 'rest',
  clusterId,
  advertisement: {
    clusterName: clusterId,
    capacity: { cpu: 10_000n },
    allocatable: { cpu: 10_000n },
    allocated: { cpu: 1_000n },
    used: {},
    ...facts,
  },
})
const reserve = (cpu: bigint): Command => ({
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu },
  priority: 0,
})
const NEWS = { isFull: false, isBeat: false }

function aWriter() {
  const clock = { now: NOW }
  const writer = createLedgerWriter({
    ledger: createLedger({
      policy: defaultPolicy,
      currency: 'USD',
      staleAfterMs: 600_000,
      drainTimeoutMs: 120_000,
      reclaimAfterMs: 86_400_000,
    }),
    journal: createMemoryJournal(),
    head: NO_HEAD,
    writerId: 'test',
    now: () => clock.now,
    recall: () => undefined,
    crash: () => {},
    meters: { decided() {}, committed() {}, unsettled() {} },
    pressure: () => undefined,
  })
  return { writer, clock }
}

type Recall = (reservation: Reservation) => Promise<DecisionRecord | undefined>

async function anOverview(
  decisionOf: Recall = async () => undefined,
  given = aWriter(),
  earlier?: () => Promise<Iterable<LedgerEvent>>,
) {
  const { writer, clock } = given
  const refusals = createRecentRefusals('USD')
  const live = await createLiveOverview({
    writer,
    refusals,
    decisionOf,
    earlier,
    audit: () => ({ verdict: 'sound', detail: '' }),
    now: () => clock.now,
  })
  return { writer, clock, refusals, live }
}

async function reserved(writer: ReturnType<typeof aWriter>['writer'], cpu: bigint) {
  const { outcome } = await writer.submit(reserve(cpu))
  if (outcome.kind !== 'reserved') throw new Error(outcome.kind)
  return outcome.reservation
}

describe('the overview', () => {
  it('splits each resource into own use, used, reserved and available', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris'))
    const { id } = await reserved(writer, 4_000n)
    const facts = { allocated: { cpu: 2_500n }, used: { [id]: { cpu: 1_500n } } }
    await writer.submit(advertise('paris', facts))

    const { clusters, totals } = await live.overview()

    // 10 cores: 1 own, 1.5 used, 4 − 1.5 still reserved, 5 left
    const line = { allocatable: 10_000, own: 1_000, used: 1_500, reserved: 2_500, available: 5_000 }
    expect(clusters[0]?.resources).toEqual({ cpu: line })
    expect(totals).toEqual({ cpu: { ...line, outOfReach: 0 } })
  })

  it('tells what a search looks for: places, labels, GPU models', async () => {
    const { writer, live } = await anOverview()
    const facts = { location: 'eu-west', labels: { tier: 'gold' }, gpuModels: { 'NVIDIA-H100': 2 } }
    await writer.submit(advertise('paris', facts))

    const { clusters } = await live.overview()

    expect(clusters[0]).toMatchObject(facts)
  })

  it('a resource that is held and no longer offered is still shown', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris'))
    await reserved(writer, 4_000n)
    const without = { allocatable: { memory: 1_024n }, allocated: {} }
    await writer.submit(advertise('paris', without))

    const { clusters } = await live.overview()

    expect(clusters[0]).toMatchObject({
      isOvercommitted: true,
      resources: { cpu: { allocatable: 0, own: 0, used: 0, reserved: 4_000, available: 0 } },
    })
  })

  it('counts what is free on a cordoned cluster as out of reach', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris'))
    await writer.submit(advertise('oslo'))
    await writer.submit({ kind: 'cordon', clusterId: 'oslo' })

    const { totals, clusters } = await live.overview()

    expect(totals.cpu).toMatchObject({ available: 9_000, outOfReach: 9_000 })
    expect(clusters.map(({ clusterId }) => clusterId)).toEqual(['oslo', 'paris'])
  })

  it('lists the newest reservations and decisions first, refused ones among them', async () => {
    const { writer, live, refusals } = await anOverview()
    await writer.submit(advertise('paris'))
    const first = await reserved(writer, 1_000n)
    const second = await reserved(writer, 1_000n)
    const { outcome } = await writer.submit(reserve(50_000n))
    const ranking = outcome.kind === 'refused' ? outcome.ranking : undefined
    const refusedId = ranking && refusals.record({ ranking, at: NOW, index: 3 })

    const { reservations, liveCount, decisions } = await live.overview()

    expect(reservations.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(liveCount).toBe(2)
    expect(decisions.map(({ id }) => id)).toEqual([refusedId, second.id, first.id])
    expect(decisions[0]).toMatchObject({ kind: 'refused', refused: { Insufficient: 1 } })
  })

  it('after a restart recalls how the living reservations were decided', async () => {
    const given = aWriter()
    await given.writer.submit(advertise('paris'))
    const { id } = await reserved(given.writer, 1_000n)
    const decision = { policy: 'resources=70', best: [], refused: {} }
    const request = { requester: 'rome', wanted: { cpu: 1_000n } }

    const { live } = await anOverview(
      async () => ({ reservationId: id, index: 2, at: NOW, request, decision }),
      given,
    )

    expect((await live.overview()).decisions).toMatchObject([{ kind: 'reserved', id, at: NOW }])
  })

  it('after a restart lists what the journal tells of before, also of what has ended', async () => {
    const given = aWriter()
    const events: LedgerEvent[] = []
    given.writer.subscribe((committed) => events.push(...committed.events))
    await given.writer.submit(advertise('paris'))
    const { id } = await reserved(given.writer, 1_000n)
    given.clock.now += 1
    await given.writer.submit({ kind: 'release', id })

    const { live } = await anOverview(undefined, given, async () => events.toReversed())

    const { overview } = await live.frame(NEWS)
    expect(overview?.decisions).toMatchObject([
      { kind: 'ended', id },
      { kind: 'reserved', id },
    ])
  })

  it('shows at most 500 reservations and counts them all', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris', { allocatable: { cpu: 1_000_000n } }))
    await Promise.all(Array.from({ length: 600 }, () => writer.submit(reserve(1_000n))))

    const { reservations, liveCount, decisions } = await live.overview()

    expect(reservations).toHaveLength(500)
    expect(liveCount).toBe(600)
    expect(decisions).toHaveLength(100)
  })
})

describe('a frame', () => {
  it('tells only what changed since the one before', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris'))
    await writer.submit(advertise('oslo'))
    await live.frame(NEWS)
    const { id, legs } = await reserved(writer, 1_000n)

    const { update } = await live.frame(NEWS)
    const { update: quiet } = await live.frame(NEWS)

    expect(update?.clusters?.map(({ clusterId }) => clusterId)).toEqual([legs[0]?.clusterId])
    expect(update?.reservations?.map((row) => row.id)).toEqual([id])
    expect(update?.decisions?.map((line) => line.id)).toEqual([id])
    expect(quiet).toEqual({ index: 3, now: NOW, liveCount: 1 })
  })

  it('a reservation made and ended between two frames only leaves its decisions', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris'))
    await live.frame(NEWS)
    const { id } = await reserved(writer, 1_000n)
    await writer.submit({ kind: 'release', id })

    const { update } = await live.frame(NEWS)

    expect(update).not.toHaveProperty('reservations')
    expect(update).toMatchObject({ liveCount: 0, ended: [id] })
    expect(update?.decisions?.map(({ kind }) => kind)).toEqual(['ended', 'reserved'])
  })

  it('a heartbeat, which no event tells of, is told with the beat', async () => {
    const { writer, live, clock } = await anOverview()
    await writer.submit(advertise('paris'))
    await live.frame(NEWS)
    clock.now += 30_000
    await writer.submit(advertise('paris'))

    const { update } = await live.frame({ isFull: false, isBeat: true })

    expect(update).toMatchObject({ heard: { paris: NOW + 30_000 } })
    expect(update).not.toHaveProperty('clusters')
  })

  it('tells everything when too much has changed', async () => {
    const { writer, live } = await anOverview()
    await writer.submit(advertise('paris', { allocatable: { cpu: 1_000_000n } }))
    await live.frame(NEWS)
    await Promise.all(Array.from({ length: 501 }, () => writer.submit(reserve(1_000n))))

    const frame = await live.frame(NEWS)

    expect(frame.update).toBeUndefined()
    expect(frame.overview?.liveCount).toBe(501)
  })
})
