import { expect, it } from 'vitest'
import { BrokerBusy, type BrokerFault, BrokerUnreachable } from './errors.ts'
import { createRetry, DEFAULT_RETRY } from './retry.ts'

const persist = createRetry({
  policy: { ...DEFAULT_RETRY, attemptsMax: 2 },
  clock: { now: () => 0, random: () => 0, sleep: async () => {} },
  name: (thrown) => thrown as BrokerFault,
})
const unsent = () => new BrokerUnreachable('No broker is there.', { isUnsent: true })

it.each([
  { what: 'no broker was there each time', first: unsent(), isUnsent: true },
  { what: 'an answer was lost before', first: new BrokerUnreachable('Cut.'), isUnsent: false },
  { what: 'it was busy before', first: new BrokerBusy('Not known yet.', 503), isUnsent: false },
])('says whether anything can have been carried out when $what', async ({ first, isUnsent }) => {
  const faults = [first, unsent()]

  const fault = await persist(async () => {
    throw faults.shift()
  }).catch((thrown: unknown) => thrown)

  expect(fault).toMatchObject({ message: 'No broker is there.', isUnsent })
})
