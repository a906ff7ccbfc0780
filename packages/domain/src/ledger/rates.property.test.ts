import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { parseRates, type Rates } from '../quantity/index.ts'
import { type Cost, createLedger, type LedgerEvent } from './index.ts'

const BILLION = 10n ** 9n
const MOMENT = { now: 1_000, index: 1 }

type Step =
  | Readonly<{ what: 'rates'; rates: Rates }>
  | Readonly<{ what: 'advertise'; clusterId: string; cost: Cost | undefined }>
  | Readonly<{ what: 'reserve'; cpu: bigint }>

const money = fc.bigInt(0n, 4n).map((units) => units * 10_000_000n)
const cost: fc.Arbitrary<Cost> = fc.record(
  { currency: fc.constantFrom('USD', 'EUR', 'GBP'), cpu: money, memory: money },
  { requiredKeys: ['currency'] },
)
const rates: fc.Arbitrary<Rates> = fc
  .dictionary(fc.constantFrom('EUR', 'GBP'), fc.constantFrom(1n, BILLION / 2n, 3n * BILLION))
  .map((table) => new Map(Object.entries(table)))
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant('rates'), rates }),
    fc.record({
      what: fc.constant('advertise'),
      clusterId: fc.constantFrom('a', 'b', 'c'),
      cost: fc.option(cost, { nil: undefined }),
    }),
    fc.record({ what: fc.constant('reserve'), cpu: fc.bigInt(1n, 4n).map((n) => n * 1_000n) }),
  ),
  { maxLength: 30 },
)

/** What a person would work out: a price times its rate, and no price without a rate. */
function inDollars(written: Cost | undefined, known: Rates): Cost | undefined {
  if (!written || written.currency === 'USD') return written
  const rate = known.get(written.currency)
  if (rate === undefined) return undefined
  const { currency: _, ...prices } = written
  const converted = Object.entries(prices).map(([name, price]) => {
    const [whole, rest] = [(price * rate) / BILLION, (price * rate) % BILLION]
    return [name, rest > 0n ? whole + 1n : whole]
  })
  return { currency: 'USD', ...Object.fromEntries(converted) }
}

function aLedger() {
  const ledger = createLedger(settings)
  const events: LedgerEvent[] = []
  const run = (command: Parameters<typeof ledger.execute>[0]) => {
    const done = ledger.execute(command, MOMENT)
    events.push(...done.events)
    return done.outcome
  }
  return {
    ledger,
    events,
    advertise(clusterId: string, written: Cost | undefined) {
      const supply = supplyOf({ cpu: 64_000n }, clusterId)
      const advertisement = { ...supply, ...(written && { cost: written }) }
      run({ kind: 'advertise', door: 'rest', clusterId, advertisement })
    },
    reserve(cpu: bigint) {
      const wanted = { cpu }
      const asked = { kind: 'reserve', door: 'rest', requester: 'rome', priority: 0 } as const
      const outcome = run({ ...asked, wanted })
      return outcome.kind === 'reserved'
        ? { legs: outcome.reservation.legs, price: outcome.reservation.price }
        : outcome.kind
    },
    ranking: () => ledger.evaluate({ requester: 'rome', wanted: { cpu: 1_000n } }).rows,
  }
}

it('decides by rates as if every price had been written in dollars', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const [real, model] = [aLedger(), aLedger()]
      const advertised = new Map<string, Cost | undefined>()
      let known: Rates = new Map()

      for (const step of story) {
        if (step.what === 'rates') {
          known = step.rates
          real.ledger.setRates(known)
          for (const [clusterId, written] of advertised)
            model.advertise(clusterId, inDollars(written, known))
        } else if (step.what === 'advertise') {
          advertised.set(step.clusterId, step.cost)
          real.advertise(step.clusterId, step.cost)
          model.advertise(step.clusterId, inDollars(step.cost, known))
        } else expect(real.reserve(step.cpu)).toEqual(model.reserve(step.cpu))

        const rows = real.ranking()
        expect(rows.map(({ unpriced: _, ...row }) => row)).toEqual(model.ranking())
        for (const { clusterId, unpriced } of rows) {
          const { currency } = advertised.get(clusterId) ?? {}
          const isUnrated = currency !== undefined && currency !== 'USD' && !known.has(currency)
          const why = `prices in ${currency} do not count: no rate to USD is known`
          expect(unpriced).toBe(isUnrated ? why : undefined)
          expect(real.ledger.standing(clusterId)?.unpriced).toBe(unpriced)
        }
      }
    }),
  )
})

it('replays without any rate, and ranks again by the rates that a decision noted', () => {
  fc.assert(
    fc.property(steps, (story) => {
      const { ledger, events, advertise, reserve } = aLedger()
      for (const step of story) {
        if (step.what === 'rates') ledger.setRates(step.rates)
        else if (step.what === 'advertise') advertise(step.clusterId, step.cost)
        else reserve(step.cpu)
      }

      const replayed = createLedger(settings)
      for (const event of events) {
        if (event.kind === 'reserved') {
          replayed.setRates(ratesIn(event.decision.rates))
          const { rows } = replayed.evaluate({
            requester: event.reservation.requester,
            wanted: event.reservation.wanted,
          })
          expect(rows.flatMap(({ scored }) => scored ?? [])).toEqual(event.decision.best)
          expect(rows[0]?.pricePerHour).toBe(event.reservation.price?.perHour)
        }
        replayed.apply(event)
      }
      // Who was heard is soft: it is noted by an event of its own.
      expect({ ...replayed.capture(), requesters: [] }).toEqual({
        ...ledger.capture(),
        requesters: [],
      })
    }),
  )
})

function ratesIn(text = ''): Rates {
  const parsed = parseRates(text)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  return parsed.rates
}
