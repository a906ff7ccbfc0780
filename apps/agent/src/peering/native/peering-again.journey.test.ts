import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHesitant } from '../../../fixtures/peering/native/fake/hesitant.ts'
import { type City, createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import { NODE } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import { LIQO } from './liqo/liqo-kinds.ts'

/** More than any end has steps: a stop this late never comes. */
const STEPS_MAX = 40
/** So that the other side does all that it can while this one hesitates. */
const MEANWHILE_MS = 100

const first: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }
const next: BorrowedReservation = { id: 'rsv-2', provider: 'paris', resources: { cpu: '1' } }

describe('a new reservation while two clusters un-peer', () => {
  let certificates: TestCertificates
  beforeAll(async () => {
    certificates = await makeTestCertificates()
  })
  afterAll(() => certificates.dispose())

  /** It comes while the agent of this city is about to do the nth thing of the end. */
  async function comesBefore(nth: number, city: City) {
    const both = await createTwoClusters({ issue: certificates.forCluster })
    const { client, broker } = both.portsOf(city)
    const hesitant = createHesitant(client, broker)
    const other = city === 'rome' ? 'paris' : 'rome'
    await Promise.all([both.live(other), both.live(city, hesitant.ports)])
    both.reserve(first)
    await both.borrow(first)

    hesitant.stopBefore(nth)
    const leaving = both.giveBack(first).then(() => {
      both.end(first.id)
      return both.takeBack(first)
    })
    // The last thing of the end is that the session closes.
    const haveParted = () => both.leftovers().length === 0 && both.desk.sessions().length === 0
    const parted = leaving.then(() =>
      eventually('they have parted', () => hesitant.isReached() || haveParted()),
    )
    await Promise.race([hesitant.reached, parted])
    both.reserve(next)
    const borrowing = both.borrow(next)
    await sleep(MEANWHILE_MS)
    hesitant.goOn()
    await Promise.all([leaving, borrowing])

    return { ...both, hesitant, reason: `before ${hesitant.deeds.at(nth - 1)}` }
  }

  it.each(['rome', 'paris'] as const)(
    'gets its node, whichever step of %s it interrupts, and nothing is left of either',
    async (city) => {
      const stops: string[] = []
      for (let isReached = true, nth = 1; isReached && nth < STEPS_MAX; nth++) {
        const both = await comesBefore(nth, city)
        isReached = both.hesitant.isReached()
        if (isReached) stops.push(both.reason)

        expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-2'])
        expect(both.rome.all(LIQO.identity)).toHaveLength(1)
        expect(both.paris.all(LIQO.tenant)).toHaveLength(1)
        await expect
          .poll(() => both.desk.sessions().map(({ state }) => state))
          .toEqual(['established'])
        await both.giveBack(next)
        both.end(next.id)
        await both.takeBack(next)
        await eventually('nothing is left', () => both.leftovers().length === 0)
        await eventually('no session is left', () => both.desk.sessions().length === 0)
        await both.stop()
      }

      expect(stops).toContain(city === 'rome' ? 'before postPeering' : 'before closePeering')
      expect(stops.length).toBeLessThan(STEPS_MAX - 1)
    },
  )
})
