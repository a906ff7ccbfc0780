import { describe, expect, it } from 'vitest'
import { supplyOf } from '../../../fixtures/ledger/ledger.ts'
import type { Cluster } from '../../supply/cluster.ts'
import { createConversion } from '../../supply/conversion.ts'
import { createAgreements } from './agreement.ts'

const paris: Cluster = {
  clusterId: 'paris',
  door: 'rest',
  accepting: 'open',
  isStale: false,
  changedAt: 0,
  advertisement: {
    ...supplyOf({ cpu: 8_000n }),
    cost: { currency: 'USD', cpu: 50_000_000n }, // 0.05 a core and hour
  },
}
const wanted = { cpu: 2_000n }
const parisLends = { cluster: paris, resources: wanted }

describe('an agreement', () => {
  it('names the provider, all that is wanted, and its price an hour', () => {
    const agreement = createAgreements(createConversion('USD'))([parisLends])

    expect(agreement).toEqual({
      legs: [{ clusterId: 'paris', resources: wanted }],
      price: { perHour: 100_000_000n, currency: 'USD' }, // 2 × 0.05
    })
  })

  it('has no price in another currency without a rate', () => {
    expect(createAgreements(createConversion('EUR'))([parisLends])).toEqual({
      legs: [{ clusterId: 'paris', resources: wanted }],
    })
  })

  it('has a price in the broker’s currency where a rate is known', () => {
    const conversion = createConversion('EUR', new Map([['USD', 900_000_000n]]))

    const { price } = createAgreements(conversion)([parisLends])

    expect(price).toEqual({ perHour: 90_000_000n, currency: 'EUR' }) // 2 × 0.05 × 0.9
    expect(conversion.applied()).toBe('USD=0.9')
  })

  it('is one value for all who want the same of a provider', () => {
    const agreementOf = createAgreements(createConversion('USD'))

    expect(agreementOf([parisLends])).toBe(agreementOf([parisLends]))
  })

  it('follows the provider when it changes its price', () => {
    const agreementOf = createAgreements(createConversion('USD'))
    const { price } = agreementOf([parisLends])
    const cost = { currency: 'USD', cpu: 70_000_000n }
    const dearer = { ...paris, advertisement: { ...paris.advertisement, cost } }

    expect(price?.perHour).toBe(100_000_000n)
    expect(agreementOf([{ cluster: dearer, resources: wanted }]).price?.perHour).toBe(140_000_000n)
  })

  it('stays right beyond as many wishes as are kept', () => {
    const agreementOf = createAgreements(createConversion('USD'))
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

    expect(createAgreements(createConversion('USD'))([parisLends, osloLends])).toEqual({
      legs: [
        { clusterId: 'paris', resources: wanted },
        { clusterId: 'oslo', resources: { cpu: 1_000n } },
      ],
      price: { perHour: 150_000_000n, currency: 'USD' }, // 3 × 0.05
    })
  })

  it('has no price where one of several providers has none', () => {
    const { cost: _, ...unpriced } = paris.advertisement
    const free = { cluster: { ...paris, advertisement: unpriced }, resources: wanted }

    expect(createAgreements(createConversion('USD'))([parisLends, free]).price).toBeUndefined()
  })
})
