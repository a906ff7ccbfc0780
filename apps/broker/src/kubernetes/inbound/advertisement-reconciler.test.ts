import { describe, expect, it } from 'vitest'
import {
  aClusterAdvertisement,
  aLedger,
  LEDGER_ID,
} from '../../../fixtures/kubernetes/objects/objects.ts'
import { createAdvertisementReconciler } from './advertisement-reconciler.ts'
import type { Delay } from './object-price.ts'

type Options = Readonly<{
  adopt?: boolean
  others?: Readonly<Record<string, string>>
  denial?: string
  delay?: Delay
}>

/** The reconciler on a real ledger; `others` are further objects that are there, by UID. */
function aDoor({ adopt = false, others = {}, denial, delay }: Options = {}) {
  const setup = aLedger()
  const dated: string[] = []
  const rejected: string[] = []
  const postponed: string[] = []
  const account: { delay?: Delay | undefined } = { delay }
  const shown: string[] = []
  const reconciler = createAdvertisementReconciler({
    submit: setup.submit,
    cluster: async (clusterId) => setup.ledger.cluster(clusterId),
    nameOf: (uid) => others[uid],
    objects: {
      async date(object, timestamp) {
        dated.push(timestamp)
        return { ...object, spec: { ...object.spec, timestamp } }
      },
      async reject(_, reason, message) {
        rejected.push(`${reason}: ${message}`)
      },
      async postpone(_, message) {
        postponed.push(message)
      },
    },
    show: (clusterId) => void shown.push(clusterId),
    denied: () => denial,
    price: () => account.delay,
    ledgerId: LEDGER_ID,
    adopt,
    now: () => setup.clock.now,
  })
  return { ...setup, ...reconciler, account, dated, rejected, postponed, shown }
}

describe('a ClusterAdvertisement that a user made', () => {
  it('with text that drives a terminal is rejected by field, and shown without it', async () => {
    const { ledger, rejected, reconcile } = aDoor()

    await reconcile(aClusterAdvertisement({ clusterName: 'Paris\u001b[2J', location: 'a\u202eb' }))

    expect(ledger.cluster('paris')).toBeUndefined()
    expect(rejected).toEqual([
      'InvalidAdvertisement: clusterName: has U+001B, which cannot be shown: send text without ' +
        'control characters; location: has U+202E, which cannot be shown: send text without ' +
        'control characters',
    ])
  })

  it('is supply: allocatable is capacity and nothing is allocated unless it says so', async () => {
    const { ledger, shown, reconcile } = aDoor()

    await reconcile(aClusterAdvertisement())

    expect(ledger.cluster('paris')).toMatchObject({ door: 'kubernetes', isStale: false })
    expect(ledger.standing('paris')?.available).toMatchObject({ cpu: 10_000n })
    expect(shown).toEqual(['paris'])
  })

  it('does not say what is reserved and available: the broker knows', async () => {
    const { ledger, reconcile } = aDoor()
    const resources = {
      capacity: { cpu: '10', memory: '8025424Ki' },
      allocated: { cpu: '1050m', memory: '418Mi' },
      reserved: { cpu: '3', memory: '4Gi' },
      available: { cpu: '5950m', memory: '3597392Ki' },
    }

    await reconcile(aClusterAdvertisement({ resources }))

    expect(ledger.standing('paris')).toMatchObject({ reserved: {}, available: { cpu: 8_950n } })
  })

  it('without a timestamp gets one', async () => {
    const { ledger, dated, reconcile } = aDoor()

    await reconcile(aClusterAdvertisement({ timestamp: '' }))

    expect(dated).toEqual(['1970-01-01T00:00:01.000Z'])
    expect(ledger.cluster('paris')?.advertisement.stamp).toBe(
      'uid-of-advertisement 1970-01-01T00:00:01.000Z',
    )
  })

  it('is fresh from when its timestamp was first seen, however often it is listed', async () => {
    const { ledger, clock, reconcile } = aDoor()
    await reconcile(aClusterAdvertisement())
    clock.now += 5_000

    await reconcile(aClusterAdvertisement())

    expect(ledger.standing('paris')?.advertisedAt).toBe(1_000)
  })

  it('is refreshed by a patch of its timestamp', async () => {
    const { ledger, clock, reconcile } = aDoor()
    await reconcile(aClusterAdvertisement())
    clock.now += 5_000

    await reconcile(aClusterAdvertisement({ timestamp: '2026-11-15T13:00:00Z' }))

    expect(ledger.standing('paris')?.advertisedAt).toBe(6_000)
  })

  it('that makes no sense says so, and changes nothing', async () => {
    const { ledger, rejected, reconcile } = aDoor()
    const resources = { capacity: { cpu: '1' }, allocatable: { cpu: '2' } }

    await reconcile(aClusterAdvertisement({ resources }))

    expect(rejected[0]).toContain('InvalidAdvertisement: resources.allocatable.cpu')
    expect(ledger.cluster('paris')).toBeUndefined()
  })

  it('of a cluster that has had its share says so, counts for nothing yet, and is read later', async () => {
    const delay = { afterMs: 3_000, message: 'paris sends more than its share.' }
    const { ledger, postponed, reconcile } = aDoor({ delay })

    const next = await reconcile(aClusterAdvertisement())

    expect(ledger.cluster('paris')).toBeUndefined()
    expect(postponed).toEqual(['paris sends more than its share.'])
    expect(next).toEqual({ againAfterMs: 3_000 })
  })

  it('that is known already is read again at no price', async () => {
    const { account, postponed, reconcile } = aDoor()
    await reconcile(aClusterAdvertisement())
    account.delay = { afterMs: 3_000, message: 'paris sends more than its share.' }

    expect(await reconcile(aClusterAdvertisement())).toBeUndefined()
    expect(postponed).toEqual([])
  })

  it('of a cluster that is denied is told so, and offers nothing', async () => {
    const { ledger, rejected, reconcile } = aDoor({ denial: 'paris is on the deny list.' })

    await reconcile(aClusterAdvertisement())

    expect(rejected).toEqual(['ClusterDenied: paris is on the deny list.'])
    expect(ledger.cluster('paris')).toBeUndefined()
  })

  it('of a cluster that advertises by REST is told so', async () => {
    const { offer, rejected, reconcile } = aDoor()
    await offer('paris', 1_000n)

    await reconcile(aClusterAdvertisement())

    expect(rejected).toEqual([
      'ClaimedElsewhere: paris is advertised by rest already: delete this object, or that one.',
    ])
  })

  it('of a cluster that another object speaks for is told which', async () => {
    const { rejected, reconcile } = aDoor({ others: { 'uid-of-first': 'default/first' } })
    await reconcile(aClusterAdvertisement({}, { name: 'first' }))

    await reconcile(aClusterAdvertisement({}, { name: 'second' }))

    expect(rejected[0]).toContain('paris is advertised by default/first already')
  })

  it('takes the place of one that is no longer there', async () => {
    const { ledger, reconcile } = aDoor()
    await reconcile(aClusterAdvertisement({}, { name: 'first' }))

    await reconcile(aClusterAdvertisement({}, { name: 'second' }))

    expect(ledger.cluster('paris')?.advertisement.stamp).toContain('uid-of-second')
  })
})

describe('a ClusterAdvertisement that is gone', () => {
  it('offers nothing more, and its cluster may advertise by REST', async () => {
    const { ledger, offer, reconcile, gone } = aDoor()
    await reconcile(aClusterAdvertisement())

    await gone(aClusterAdvertisement())
    const available = ledger.standing('paris')?.available
    const { outcome } = await offer('paris', 4_000n)

    expect(available).toEqual({})
    expect(outcome).toMatchObject({ kind: 'advertised', cluster: { door: 'rest' } })
  })

  it('and had never counted changes nothing', async () => {
    const { ledger, offer, gone } = aDoor()
    await offer('paris', 4_000n)

    await gone(aClusterAdvertisement())

    expect(ledger.standing('paris')?.available).toMatchObject({ cpu: 4_000n })
  })
})

describe('a ClusterAdvertisement of another broker, taken over', () => {
  const ofAnother = { status: { phase: 'Active', active: true } } as const

  it('is supply until its agent says which interface it uses', async () => {
    const { ledger, offer, reconcile } = aDoor({ adopt: true })
    await reconcile(aClusterAdvertisement({}, ofAnother))
    await reconcile(aClusterAdvertisement({}, ofAnother))
    const before = ledger.cluster('paris')

    const { outcome } = await offer('paris', 4_000n)

    expect(before?.advertisement.isUnclaimed).toBe(true)
    expect(outcome).toMatchObject({ kind: 'advertised', cluster: { door: 'rest' } })
  })

  it('belongs to this interface from its first refresh on', async () => {
    const { offer, reconcile } = aDoor({ adopt: true })
    await reconcile(aClusterAdvertisement({}, ofAnother))

    await reconcile(aClusterAdvertisement({ timestamp: '2026-11-15T13:00:00Z' }, ofAnother))

    expect((await offer('paris', 4_000n)).outcome.kind).toBe('claimedElsewhere')
  })
})
