import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../supply/cluster.ts'
import { supplyOf } from '../ledger.fixture.ts'
import { createAgreements } from './agreement.ts'

const paris: Cluster = {
  clusterId: 'paris',
  door: 'rest',
  accepting: 'open',
  isStale: false,
  changedAt: 0,
  advertisement: {
    ...supplyOf({ cpu: 8_000n }),
    cost: { currency: 'EUR', cpu: 50_000_000n }, // 0.05 a core and hour
  },
}
const wanted = { cpu: 2_000n }
const parisLends = { cluster: paris, resources: wanted }

describe('an agreement', () => {
  it('names the provider, all that is wanted, and its price an hour', () => {
    const agreement = createAgreements('EUR')([parisLends])

    expect(agreement).toEqual({
      legs: [{ clusterId: 'paris', resources: wanted }],
      price: { perHour: 100_000_000n, currency: 'EUR' }, // 2 × 0.05
    })
  })

  it('has no price in a currency that is not the exchange’s', () => {
    expect(createAgreements('USD')([parisLends])).toEqual({
      legs: [{ clusterId: 'paris', resources: wanted }],
    })
  })

  it('is one value for all who want the same of a provider', () => {
    const agreementOf = createAgreements('EUR')

    expect(agreementOf([parisLends])).toBe(agreementOf([parisLends]))
  })

  it('follows the provider when it changes its price', () => {
    const agreementOf = createAgreements('EUR')
    const { price } = agreementOf([parisLends])
    const cost = { currency: 'EUR', cpu: 70_000_000n }
    const dearer = { ...paris, advertisement: { ...paris.advertisement, cost } }

    expect(price?.perHour).toBe(100_000_000n)
    expect(agreementOf([{ cluster: dearer, resources: wanted }]).price?.perHour).toBe(140_000_000n)
  })

  it('stays right beyond as many wishes as are kept', () => {
    const agreementOf = createAgreements('EUR')
    const wishes = Array.from({ length: 20 }, (_, nth) => ({ cpu: BigInt(1_000 * (nth + 1)) }))

    const prices = [...wishes, ...wishes].map(
      (wish) => agreementOf([{ cluster: paris, resources: wish }]).price?.perHour,
    )

    expect(prices).toEqual(
      [...wishes, ...wishes].map(({ cpu }) => cpu * 50_000n), // milli-cores × 0.05 / 1000
    )
  })

  it('with several providers names what each lends, and adds up their prices', () => {
    const oslo = { ...paris, clusterId: 'oslo' }
    const osloLends = { cluster: oslo, resources: { cpu: 1_000n } }

    expect(createAgreements('EUR')([parisLends, osloLends])).toEqual({
      legs: [
        { clusterId: 'paris', resources: wanted },
        { clusterId: 'oslo', resources: { cpu: 1_000n } },
      ],
      price: { perHour: 150_000_000n, currency: 'EUR' }, // 3 × 0.05
    })
  })

  it('has no price where one of several providers has none', () => {
    const { cost: _, ...unpriced } = paris.advertisement
    const free = { cluster: { ...paris, advertisement: unpriced }, resources: wanted }

    expect(createAgreements('EUR')([parisLends, free]).price).toBeUndefined()
  })
})
