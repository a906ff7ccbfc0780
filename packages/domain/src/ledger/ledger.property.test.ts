import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settings as usual } from '../../fixtures/ledger/ledger.ts'
import { amountOf, type Resources } from '../quantity/index.ts'
import {
  type Actor,
  actorText,
  type Command,
  createLedger,
  type LedgerEvent,
  type Outcome,
  partsOf,
} from './index.ts'

const settings = { ...usual, staleAfterMs: 60_000, drainTimeoutMs: 20_000, reclaimAfterMs: 120_000 }
const clusters = ['berlin', 'lyon', 'oslo', 'paris']
const ids = Array.from({ length: 40 }, (_, n) => `rsv-seed-${(n + 1).toString(36)}`)

const clusterId = fc.constantFrom(...clusters)
const reservationId = fc.constantFrom(...ids)
const requestId = fc.constantFrom('one', 'two', 'three', 'four')
const amount = (max: number) => fc.bigInt({ min: 0n, max: BigInt(max) })
const resources = (max: number) => fc.record({ cpu: amount(max), memory: amount(max) })
const wanted = fc.record({ cpu: fc.bigInt(1n, 4_000n), memory: fc.bigInt(1n, 4_000n) })

const unsigned: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant('advertise' as const),
    door: fc.constant('rest'),
    clusterId,
    advertisement: fc.record(
      {
        clusterName: clusterId,
        capacity: resources(10_000),
        allocatable: resources(10_000),
        allocated: resources(2_000),
        used: fc.dictionary(reservationId, resources(3_000), { maxKeys: 4 }),
        largestFit: resources(8_000),
      },
      { requiredKeys: ['clusterName', 'capacity', 'allocatable', 'allocated', 'used'] },
    ),
    seenIndex: fc.nat({ max: 200 }),
  }),
  fc.record({
    kind: fc.constant('reserve' as const),
    door: fc.constant('rest'),
    requester: clusterId,
    requestId,
    fingerprint: fc.constantFrom('x', 'y'),
    wanted,
    priority: fc.constant(0),
    durationMs: fc.integer({ min: 1, max: 90_000 }),
  }),
  fc.record({
    kind: fc.constant('reserve' as const),
    door: fc.constant('rest'),
    requester: clusterId,
    wanted,
    priority: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('reserve' as const),
    door: fc.constant('rest'),
    requester: clusterId,
    wanted,
    priority: fc.constant(0),
    oneNode: fc.constant(true as const),
  }),
  fc.record({ kind: fc.constant('activate' as const), id: reservationId }),
  fc.record({ kind: fc.constant('release' as const), id: reservationId }),
  fc.record({
    kind: fc.constant('renew' as const),
    id: reservationId,
    durationMs: fc.integer({ min: 1, max: 90_000 }),
  }),
  fc.record({
    kind: fc.constant('releaseRequest' as const),
    door: fc.constant('rest'),
    requester: clusterId,
    requestId,
  }),
  fc.record({ kind: fc.constantFrom('cordon' as const, 'uncordon' as const), clusterId }),
  fc.record({
    kind: fc.constant('withdraw' as const),
    clusterId,
    graceMs: fc.integer({ min: 0, max: 30_000 }),
  }),
  fc.record({ kind: fc.constant('decommission' as const), clusterId }),
  fc.record({ kind: fc.constant('hear' as const), requester: clusterId }),
  fc.constant({ kind: 'noteHeard' as const }),
  fc.constant({ kind: 'tick' as const }),
)
const actor: fc.Arbitrary<Actor> = fc.record({
  kind: fc.constantFrom('cluster', 'operator', 'object', 'system'),
  id: fc.oneof(clusterId, fc.constant('ana')),
  door: fc.constantFrom('rest', 'grpc'),
})
const command = fc
  .tuple(unsigned, fc.option(actor, { nil: undefined }))
  .map(([one, by]): Command => (by ? { ...one, by } : one))
const story = fc.array(fc.tuple(command, fc.integer({ min: 0, max: 20_000 })), {
  minLength: 1,
  maxLength: 150,
  size: 'max',
})

type Play = ReturnType<typeof play>

function play(steps: readonly (readonly [Command, number])[], watch = (_: Watched) => {}) {
  const ledger = createLedger(settings)
  const journal: { event: LedgerEvent; index: number }[] = []
  ledger.apply({ kind: 'founded', at: 0, ledgerId: 'seed' })
  let now = 0
  for (const [place, [next, elapsed]] of steps.entries()) {
    now += elapsed
    const index = place + 2
    // What falls due runs apart from the command, so that its room is there to compare with.
    for (const one of [{ kind: 'tick' } satisfies Command, next]) {
      const before = new Map(clusters.map((id) => [id, ledger.standing(id)?.available ?? {}]))
      const { events, outcome } = ledger.execute(one, { now, index })
      for (const event of events) journal.push({ event, index })
      watch({ ledger, before, events, outcome, index, command: one, by: one.by, now })
    }
  }
  return { ledger, journal }
}
type Watched = {
  ledger: ReturnType<typeof createLedger>
  before: Map<string, Readonly<Record<string, bigint>>>
  events: readonly LedgerEvent[]
  outcome: Outcome
  index: number
  command: Command
  by?: Actor | undefined
  now: number
}

function held(ledger: Play['ledger'], provider: string, resource: string): bigint {
  const used = ledger.cluster(provider)?.advertisement.used ?? {}
  let total = 0n
  for (const one of [...ledger.heldOn(provider), ...ledger.drainingOn(provider)])
    for (const leg of one.legs) {
      const left = amountOf(leg.resources, resource) - amountOf(used[one.id] ?? {}, resource)
      if (leg.clusterId === provider && left > 0n) total += left
    }
  return total
}

describe('any commands in any order', () => {
  it('nothing is granted beyond what was available at that moment', () => {
    fc.assert(
      fc.property(story, (steps) => {
        play(steps, ({ before, events }) => {
          for (const event of events) {
            if (event.kind !== 'reserved') continue
            for (const leg of event.reservation.legs)
              for (const name in leg.resources)
                expect(amountOf(before.get(leg.clusterId) ?? {}, name)).toBeGreaterThanOrEqual(
                  amountOf(leg.resources, name),
                )
          }
        })
      }),
    )
  })

  it('what is to fit on one node goes where a node could take it, recounted from scratch', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const told = new Map<string, Told>()
        play(steps, ({ ledger, before, outcome, index, command: one }) => {
          if (one.kind === 'advertise') told.set(one.clusterId, toldBy(one, index, told))
          if (one.kind === 'decommission' && outcome.kind === 'decommissioned')
            told.delete(one.clusterId)
          if (one.kind !== 'reserve' || !('oneNode' in one)) return
          if (outcome.kind === 'reserved')
            for (const { clusterId: id } of outcome.reservation.legs)
              expect(nodeTakes(one.wanted, nodeFit(ledger, told.get(id), id, outcome))).toBe(true)
          if (outcome.kind !== 'refused') return
          for (const { clusterId: id, refusal } of outcome.ranking.rows) {
            const isEnough = nodeTakes(one.wanted, before.get(id) ?? {})
            const isOnNode = nodeTakes(one.wanted, nodeFit(ledger, told.get(id), id, outcome))
            if (refusal === 'NoNodeFits') expect([isEnough, isOnNode]).toEqual([true, false])
            else if (refusal === 'Insufficient') expect(isEnough).toBe(false)
          }
        })
      }),
    )
  })

  it('reserved is the sum of max(0, reserved − used) over what is held, recounted from scratch', () => {
    fc.assert(
      fc.property(story, (steps) => {
        play(steps, ({ ledger }) => {
          for (const id of clusters)
            for (const name of ['cpu', 'memory'])
              expect(amountOf(ledger.standing(id)?.reserved ?? {}, name)).toBe(
                held(ledger, id, name),
              )
        })
      }),
    )
  })

  it('an event names its actor, unless that is the cluster it is about', () => {
    fc.assert(
      fc.property(story, (steps) => {
        play(steps, ({ events, by }) => {
          for (const event of events) {
            const isSilent = by === undefined || by.kind === 'cluster'
            if (by && !isSilent) expect(event.by).toBe(actorText(by))
            else if (event.by !== undefined) expect(event.by).not.toBe(`cluster:${ownerOf(event)}`)
          }
        })
      }),
    )
  })

  it('a cluster is gone for good only after --stale-after of silence, and with nothing on it', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const heardAt = new Map<string, number>()
        play(steps, ({ command, now, events, outcome }) => {
          if (command.kind === 'advertise') heardAt.set(command.clusterId, now)
          if (command.kind !== 'decommission') return
          const silentMs = now - (heardAt.get(command.clusterId) ?? Number.NaN)
          if (events.some(({ kind }) => kind === 'decommissioned')) {
            expect(silentMs).toBeGreaterThanOrEqual(settings.staleAfterMs)
            heardAt.delete(command.clusterId)
          } else if (heardAt.has(command.clusterId) && silentMs < settings.staleAfterMs)
            expect([
              { kind: 'stillHeard', silentMs },
              { kind: 'stillHolding', count: expect.any(Number) },
            ]).toContainEqual(outcome)
        })
      }),
    )
  })

  it('a request id never stands for two reservations', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { journal } = play(steps)

        const keys = journal.flatMap(({ event }) =>
          event.kind === 'reserved' && event.reservation.requestId !== undefined
            ? [`${event.reservation.requester}/${event.reservation.requestId}`]
            : [],
        )
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })

  it('replay equals memory, from the events and from a snapshot taken midway', () => {
    fc.assert(
      fc.property(story, fc.nat(), (steps, cut) => {
        const half = steps.slice(0, steps.length === 0 ? 0 : cut % steps.length)
        const midway = play(half)
        const whole = play(steps)

        const fromEvents = createLedger(settings)
        fromEvents.apply({ kind: 'founded', at: 0, ledgerId: 'seed' })
        for (const { event } of whole.journal) fromEvents.apply(event)
        const fromSnapshot = createLedger(settings)
        for (const part of partsOf(midway.ledger.capture())) fromSnapshot.load(part)
        for (const { event } of whole.journal.slice(midway.journal.length))
          fromSnapshot.apply(event)

        expect(hard(fromEvents)).toEqual(hard(whole.ledger))
        expect(hard(fromSnapshot)).toEqual(hard(whole.ledger))
      }),
    )
  })

  it('the same story is told the same way twice', () => {
    fc.assert(
      fc.property(story, (steps) => {
        expect(play(steps).journal).toEqual(play(steps).journal)
      }),
    )
  })

  it('when all is released and time has passed, all of it has come back', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { ledger } = play(steps)
        const now = 100_000_000
        for (const { id } of [...ledger.reservations()])
          ledger.execute({ kind: 'release', id }, { now, index: 1_000 })
        ledger.execute({ kind: 'tick' }, { now: now + settings.drainTimeoutMs, index: 1_001 })

        expect(ledger.liveCount).toBe(0)
        for (const id of clusters)
          for (const name of ['cpu', 'memory'])
            expect(amountOf(ledger.standing(id)?.reserved ?? {}, name)).toBe(0n)
      }),
    )
  })
})

/** What a cluster last said of its nodes, and up to which index it had seen its grants. */
type Told = Readonly<{ largestFit?: Resources | undefined; seen: number }>

function toldBy(
  {
    clusterId: id,
    advertisement,
    seenIndex = Number.POSITIVE_INFINITY,
  }: Extract<Command, { kind: 'advertise' }>,
  index: number,
  told: ReadonlyMap<string, Told>,
): Told {
  const { largestFit } = advertisement
  const before = told.get(id)
  // An answer that was overtaken by a later one takes nothing back.
  const least = before?.largestFit && largestFit ? before.seen : 0
  return { largestFit, seen: Math.max(least, Math.min(seenIndex, index - 1)) }
}

/** What one node has free, less all that is held and was granted since; without what was just made. */
function nodeFit(
  ledger: Play['ledger'],
  { largestFit = {}, seen }: Told = { seen: 0 },
  provider: string,
  made: Outcome,
): Resources {
  const fit: Record<string, bigint> = { ...largestFit }
  for (const one of [...ledger.heldOn(provider), ...ledger.drainingOn(provider)])
    for (const leg of one.legs) {
      const isMade = 'reservation' in made && made.reservation.id === one.id
      if (isMade || one.decidedIndex <= seen || leg.clusterId !== provider) continue
      for (const name in fit) fit[name] = (fit[name] ?? 0n) - amountOf(leg.resources, name)
    }
  return fit
}

function nodeTakes(asked: Resources, most: Resources): boolean {
  return Object.entries(most).every(([name, amount]) => amountOf(asked, name) <= amount)
}

function ownerOf(event: LedgerEvent): string {
  if ('reservation' in event) return event.reservation.requester
  return 'clusterId' in event ? event.clusterId : ''
}

/** Everything but heartbeats, which are soft, in an order that does not depend on history. */
function hard(ledger: Play['ledger']) {
  const { requesters: _soft, clusters: all, ...rest } = ledger.capture()
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  return {
    ...rest,
    reservations: [...rest.reservations].sort(byId),
    draining: [...rest.draining].sort(byId),
    tombstones: [...rest.tombstones].sort((a, b) => (a.requestId < b.requestId ? -1 : 1)),
    clusters: all
      .map(({ cluster }) => cluster)
      .sort((a, b) => (a.clusterId < b.clusterId ? -1 : 1)),
    onOneNode: ledger.evaluate({
      requester: '',
      wanted: { cpu: 500n, memory: 500n },
      oneNode: true,
    }).rows,
    standings: clusters.map((id) => {
      const standing = ledger.standing(id)
      return standing && { available: standing.available, live: standing.liveCount }
    }),
  }
}
