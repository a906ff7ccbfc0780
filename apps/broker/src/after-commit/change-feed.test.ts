import type { LedgerEvent, Reservation } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { createChangeFeed } from './change-feed.ts'

const reservation: Reservation = {
  id: 'rsv-1',
  requester: 'rome',
  door: 'rest',
  wanted: { cpu: 1_000n },
  priority: 0,
  legs: [{ clusterId: 'paris', resources: { cpu: 1_000n } }],
  phase: 'Active',
  createdAt: 0,
  startsAt: 0,
  decidedIndex: 11,
  changedIndex: 11,
}
const activated: LedgerEvent = { kind: 'activated', at: 0, reservation }
const one = { kind: 'reservation', id: 'rsv-1', providers: ['paris'] } as const
const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

describe('createChangeFeed', () => {
  it.each([
    { name: 'the provider', watched: { kind: 'provider', clusterId: 'paris' }, changedAt: 11 },
    { name: 'the requester', watched: { kind: 'requester', clusterId: 'rome' }, changedAt: 11 },
    { name: 'either party', watched: { kind: 'party', clusterId: 'rome' }, changedAt: 11 },
    { name: 'the list of all', watched: { kind: 'all' }, changedAt: 11 },
    {
      name: 'no cluster in another role',
      watched: { kind: 'provider', clusterId: 'rome' },
      changedAt: 10,
    },
    { name: 'no stranger', watched: { kind: 'party', clusterId: 'oslo' }, changedAt: 10 },
  ] as const)('a changed reservation concerns $name', ({ watched, changedAt }) => {
    const feed = createChangeFeed(10)

    feed.publish({ index: 11, at: 0, events: [activated] })

    expect(feed.changedAt(watched)).toBe(changedAt)
  })

  it.each([
    { name: 'the requester', watched: { kind: 'peer', clusterId: 'rome' }, changedAt: 11 },
    { name: 'the provider', watched: { kind: 'peer', clusterId: 'paris' }, changedAt: 11 },
    { name: 'the list of all', watched: { kind: 'peers' }, changedAt: 11 },
    { name: 'no stranger', watched: { kind: 'peer', clusterId: 'oslo' }, changedAt: 10 },
    { name: 'no reservation', watched: { kind: 'party', clusterId: 'rome' }, changedAt: 10 },
  ] as const)('a word in a peering session concerns $name', ({ watched, changedAt }) => {
    const feed = createChangeFeed(10)
    const pair = { at: 0, id: 'ps-1', requester: 'rome', provider: 'paris' }

    const posted = { kind: 'peeringPosted', ...pair, step: 'nonce', sealed: 'x' } as const
    feed.publish({ index: 11, at: 0, events: [posted] })

    expect(feed.changedAt(watched)).toBe(changedAt)
  })

  it.each([
    { name: 'each reservation there', watched: one },
    { name: 'who holds them', watched: { kind: 'requester', clusterId: 'rome' } },
    { name: 'the provider', watched: { kind: 'provider', clusterId: 'paris' } },
    { name: 'the list of all', watched: { kind: 'all' } },
  ] as const)('what is new of a provider concerns $name', ({ watched }) => {
    const feed = createChangeFeed(10)
    const woken: string[] = []
    feed.onChange(watched, () => woken.push('once'))

    feed.concern('paris', ['rome'], 12)

    expect(feed.changedAt(watched)).toBe(12)
    expect(woken).toEqual(['once'])
  })

  it('takes what it no longer remembers for as new as the newest of those', () => {
    const feed = createChangeFeed(10)
    feed.concern('paris', ['rome'], 11)

    for (let at = 0; at < 100_000; at += 1) feed.concern('berlin', [`other-${at}`], 12)

    expect(feed.changedAt({ kind: 'requester', clusterId: 'rome' })).toBe(12)
  })

  it('wakes each waiting poll, once', () => {
    const feed = createChangeFeed(10)
    const woken: string[] = []
    feed.onChange({ kind: 'provider', clusterId: 'paris' }, () => woken.push('paris'))
    feed.onChange(one, () => woken.push('rsv-1'))
    feed.onChange({ kind: 'provider', clusterId: 'berlin' }, () => woken.push('berlin'))

    feed.publish({ index: 11, at: 0, events: [activated] })
    feed.publish({ index: 12, at: 0, events: [activated] })

    expect(woken.sort()).toEqual(['paris', 'rsv-1'])
  })

  it('wakes a party once, though it requests and provides in the same batch', () => {
    const feed = createChangeFeed(10)
    const woken: string[] = []
    feed.onChange({ kind: 'party', clusterId: 'paris' }, () => woken.push('paris'))
    const borrowed: LedgerEvent = {
      ...activated,
      reservation: { ...reservation, id: 'rsv-2', requester: 'paris', legs: [] },
    }

    feed.publish({ index: 11, at: 0, events: [activated, borrowed] })

    expect(woken).toEqual(['paris'])
    expect(feed.changedAt({ kind: 'party', clusterId: 'paris' })).toBe(11)
  })

  it('does not wake those who gave up', () => {
    const feed = createChangeFeed(10)
    const woken: string[] = []
    const giveUp = feed.onChange({ kind: 'all' }, () => woken.push('all'))

    giveUp()
    feed.publish({ index: 11, at: 0, events: [activated] })

    expect(woken).toEqual([])
  })

  it('lets what is not about reservations pass', () => {
    const feed = createChangeFeed(10)

    feed.publish({ index: 11, at: 0, events: [staled] })

    expect(feed.changedAt({ kind: 'provider', clusterId: 'paris' })).toBe(10)
  })
})
