import type { PeeringNetworking } from '@bourse/contract'
import { eventually, makeTestCertificates, type TestCertificates } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMortal, type Death } from '../../../fixtures/borrowing/mortal.ts'
import { type City, createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import { NAMESPACE, NODE } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import { LIQO } from './liqo/liqo-kinds.ts'

/** More than any walk has steps: a death this late never comes. */
const STEPS_MAX = 60

const reservation: BorrowedReservation = {
  id: 'rsv-1',
  provider: 'paris',
  resources: { cpu: '2', memory: '4Gi' },
  offload: { namespaces: ['shop'], strategy: 'LocalAndRemote' },
}

describe('an agent that is killed between any two of its steps', () => {
  let certificates: TestCertificates
  beforeAll(async () => {
    certificates = await makeTestCertificates()
  })
  afterAll(() => certificates.dispose())

  /** The whole walk, there and back. When one dies, another takes over where it left off. */
  async function walk(city: City, death: Death, networking: PeeringNetworking) {
    const issue = certificates.forCluster
    const has = { rome: networking, paris: networking }
    const both = await createTwoClusters({ issue, networking: has })
    const { client, broker } = both.portsOf(city)
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
    await both.rome.client.create(NAMESPACE, shop)
    const mortal = createMortal(client, broker, death)
    const other = city === 'rome' ? 'paris' : 'rome'
    await Promise.all([both.live(other), both.live(city, mortal)])
    const succeeded = mortal.died.then(async () => {
      await both.peering(city).stop()
      await both.live(city)
    })

    both.reserve(reservation)
    await both.borrow(reservation)
    expect(both.rome.all(NODE).map(({ metadata }) => metadata.name)).toEqual(['res-rsv-1'])
    expect(both.rome.all(LIQO.namespaceOffloading)).toHaveLength(1)
    await both.giveBack(reservation)
    both.end(reservation.id)
    await both.takeBack(reservation)
    await eventually('the session is closed', () => both.desk.sessions().length === 0)

    if (mortal.isDead()) await succeeded
    await eventually('nothing is left', () => both.leftovers().length === 0)
    await both.stop()
    return mortal
  }

  it.each([
    { city: 'rome', when: 'before', networking: 'none' },
    { city: 'rome', when: 'after', networking: 'none' },
    { city: 'paris', when: 'before', networking: 'none' },
    { city: 'paris', when: 'after', networking: 'none' },
    { city: 'rome', when: 'before', networking: 'wireguard' },
    { city: 'rome', when: 'after', networking: 'wireguard' },
    { city: 'paris', when: 'before', networking: 'wireguard' },
    { city: 'paris', when: 'after', networking: 'wireguard' },
  ] as const)(
    '$city, $when each of them: the node comes, and nothing is left (networking: $networking)',
    async (killed) => {
      const { city, when, networking } = killed
      let at = 1
      for (let isDead = true; isDead && at < STEPS_MAX; at++) {
        const mortal = await walk(city, { at, when }, networking).catch((cause) => {
          throw new Error(`${city} dies ${when} deed ${at}`, { cause })
        })
        isDead = mortal.isDead()
      }

      expect(at).toBeGreaterThan(5)
      expect(at).toBeLessThan(STEPS_MAX)
    },
  )
})
