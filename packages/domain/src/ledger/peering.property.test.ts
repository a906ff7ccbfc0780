import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advertise, supplyOf, settings as usual } from '../../fixtures/ledger/ledger.ts'
import { type Command, createLedger, type Ledger, type LedgerEvent, partsOf } from './index.ts'

const DAY_MS = 86_400_000
const settings = {
  ...usual,
  staleAfterMs: 365 * DAY_MS,
  drainTimeoutMs: 20_000,
  reclaimAfterMs: 365 * DAY_MS,
}
const clusters = ['oslo', 'paris', 'rome']
const clusterId = fc.constantFrom(...clusters)
const peeringId = fc.constantFrom('ps-1', 'ps-2', 'ps-3')

/** Which live one is released depends on what there is by then. */
type Move = Command | Readonly<{ kind: 'releaseSome'; which: number }>

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('reserve' as const),
    door: fc.constant('rest'),
    requester: clusterId,
    pinned: clusterId,
    wanted: fc.constant({ cpu: 1n }),
    priority: fc.constant(0),
  }),
  fc.record({ kind: fc.constant('releaseSome' as const), which: fc.nat() }),
  fc.record({
    kind: fc.constant('openPeering' as const),
    id: peeringId,
    requester: clusterId,
    provider: clusterId,
    networking: fc.constant('none' as const),
    hello: fc.constantFrom('x', 'y'),
  }),
  fc.record({
    kind: fc.constant('postPeering' as const),
    id: peeringId,
    from: clusterId,
    step: fc.constantFrom('nonce', 'tenant', 'grant', 'ready', 'goodbye'),
    sealed: fc.constantFrom('x', 'y'),
  }),
  fc.record({
    kind: fc.constant('reportPeeringTrouble' as const),
    id: peeringId,
    from: clusterId,
    trouble: fc.record({ reason: fc.constantFrom('A', 'B'), message: fc.constant('') }),
  }),
  fc.record({ kind: fc.constant('closePeering' as const), id: peeringId, from: clusterId }),
  fc.constant({ kind: 'tick' as const }),
)
const elapsed = fc.oneof(fc.nat({ max: 60_000 }), fc.nat({ max: 2 * DAY_MS }))
const story = fc.array(fc.tuple(move, elapsed), { minLength: 1, maxLength: 80, size: 'max' })

type Steps = readonly (readonly [Move, number])[]

function play(steps: Steps, watch = (_ledger: Ledger, _now: number) => {}) {
  const ledger = createLedger(settings)
  const journal: LedgerEvent[] = [{ kind: 'founded', at: 0, ledgerId: 'seed' }]
  for (const event of journal) ledger.apply(event)
  for (const id of clusters) run(advertise(id, supplyOf({ cpu: 1_000_000n })), 0)
  let now = 0
  for (const [next, later] of steps) {
    now += later
    run(next, now)
    watch(ledger, now)
  }
  return { ledger, journal }

  function run(next: Move, at: number): void {
    const command = next.kind === 'releaseSome' ? releaseOf(ledger, next.which) : next
    journal.push(...ledger.execute(command, { now: at, index: journal.length }).events)
  }
}

function releaseOf(ledger: Ledger, which: number): Command {
  const live = [...ledger.reservations()]
  return { kind: 'release', id: live[which % Math.max(1, live.length)]?.id ?? '' }
}

function holds(ledger: Ledger, requester: string, provider: string): boolean {
  const requested = [...ledger.requestedBy(requester)]
  return requested.some(({ legs }) => legs.some((leg) => leg.clusterId === provider))
}

describe('anything that two agents and a broker do', () => {
  it('a pair has one session at most, and both of its clusters find it', () => {
    fc.assert(
      fc.property(story, (steps) => {
        play(steps, (ledger) => {
          const all = [...ledger.peerings()]
          const pairs = all.map(({ requester, provider }) => `${requester} ${provider}`)
          expect(new Set(pairs).size).toBe(pairs.length)
          for (const id of clusters)
            expect(new Set(ledger.peeringsOf(id))).toEqual(
              new Set(all.filter((one) => one.requester === id || one.provider === id)),
            )
        })
      }),
    )
  })

  it('a session is begun only with a live reservation of the pair', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { journal } = play(steps)
        const ledger = createLedger(settings)
        for (const event of journal) {
          if (event.kind === 'peeringOpened')
            expect(holds(ledger, event.requester, event.provider)).toBe(true)
          ledger.apply(event)
        }
      }),
    )
  })

  it('a session has an end exactly while nothing keeps it, and is gone when that has come', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const { ledger } = play(steps, (current, now) => {
          for (const { requester, provider, state, expiresAt } of current.peerings()) {
            const isKept = state !== 'open' && holds(current, requester, provider)
            expect(expiresAt === undefined).toBe(isKept)
            expect(expiresAt ?? now + 1).toBeGreaterThan(now)
          }
        })
        const now = 1_000 * DAY_MS
        for (const { id } of [...ledger.reservations()])
          ledger.execute({ kind: 'release', id }, { now, index: 1_000 })
        ledger.execute({ kind: 'tick' }, { now: now + DAY_MS, index: 1_001 })

        expect([...ledger.peerings()]).toEqual([])
      }),
    )
  })

  it('replay equals memory, from the events and from a snapshot taken midway', () => {
    fc.assert(
      fc.property(story, fc.nat(), (steps, cut) => {
        const midway = play(steps.slice(0, cut % steps.length))
        const whole = play(steps)

        const fromEvents = createLedger(settings)
        for (const event of whole.journal) fromEvents.apply(event)
        const fromSnapshot = createLedger(settings)
        for (const part of partsOf(midway.ledger.capture())) fromSnapshot.load(part)
        for (const event of whole.journal.slice(midway.journal.length)) fromSnapshot.apply(event)

        expect(fromEvents.capture().peerings).toEqual(whole.ledger.capture().peerings)
        expect(fromSnapshot.capture().peerings).toEqual(whole.ledger.capture().peerings)
        // What was loaded also ends as what was lived through.
        const later = { now: 1_000 * DAY_MS, index: 1_000 }
        const ends = (ledger: Ledger) => ledger.execute({ kind: 'tick' }, later).events
        expect(byText(ends(fromSnapshot))).toEqual(byText(ends(whole.ledger)))
      }),
    )
  })
})

function byText(events: readonly LedgerEvent[]): readonly string[] {
  const closed = events.filter(({ kind }) => kind === 'peeringClosed')
  return closed.map((event) => JSON.stringify(event)).sort()
}

it('the stories above are about peerings', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(story, (steps) => {
      for (const event of play(steps).journal)
        kinds.add(event.kind === 'peeringClosed' ? event.reason : event.kind)
    }),
    { seed: 7, numRuns: 200 },
  )

  expect([...kinds]).toEqual(
    expect.arrayContaining(['peeringOpened', 'peeringPosted', 'peeringTroubled', 'Closed']),
  )
  expect([...kinds]).toEqual(expect.arrayContaining(['Replaced', 'Expired']))
})
