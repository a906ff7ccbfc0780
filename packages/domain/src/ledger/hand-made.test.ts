import { describe, expect, it } from 'vitest'
import { settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { type Advertisement, type Command, createLedger, type LedgerEvent } from './index.ts'

const STALE_AFTER_MS = settings.staleAfterMs
const supply = supplyOf({ cpu: 10_000n })
const advertise = (door: string, more: Partial<Advertisement>): Command => ({
  kind: 'advertise',
  door,
  clusterId: 'paris',
  advertisement: { ...supply, ...more },
})

function aLedger() {
  const ledger = createLedger(settings)
  const story: LedgerEvent[] = []
  const at = (now: number, command: Command) => {
    const { outcome, events } = ledger.execute(command, { now, index: story.length + 1 })
    story.push(...events)
    return outcome
  }
  return { ledger, story, at }
}

describe('an advertisement that carries a stamp', () => {
  it('read again is not a sign of life: the cluster goes stale', () => {
    const { ledger, at } = aLedger()
    at(0, advertise('kubernetes', { stamp: 'uid 1' }))

    at(STALE_AFTER_MS - 1, advertise('kubernetes', { stamp: 'uid 1' }))
    at(STALE_AFTER_MS, { kind: 'tick' })

    expect(ledger.cluster('paris')?.isStale).toBe(true)
  })

  it('with a new stamp is fresh again, also after a replay', () => {
    const { ledger, story, at } = aLedger()
    at(0, advertise('kubernetes', { stamp: 'uid 1' }))
    at(STALE_AFTER_MS, { kind: 'tick' })

    at(STALE_AFTER_MS + 5, advertise('kubernetes', { stamp: 'uid 2' }))

    const replayed = createLedger(settings)
    for (const event of story) replayed.apply(event)
    expect(ledger.cluster('paris')?.isStale).toBe(false)
    expect(replayed.standing('paris')?.advertisedAt).toBe(STALE_AFTER_MS + 5)
  })

  it('changes its amounts without becoming any fresher', () => {
    const { ledger, at } = aLedger()
    at(0, advertise('kubernetes', { stamp: 'uid 1' }))

    at(5_000, advertise('kubernetes', { stamp: 'uid 1', allocatable: { cpu: 4_000n } }))

    expect(ledger.standing('paris')).toMatchObject({
      advertisedAt: 0,
      available: { cpu: 4_000n },
    })
  })
})

describe('an unclaimed cluster', () => {
  it('belongs to the next door that advertises it, and then to no other', () => {
    const { ledger, at } = aLedger()
    at(0, advertise('kubernetes', { stamp: 'uid 1', isUnclaimed: true }))

    const claimed = at(1, advertise('rest', {}))
    const late = at(2, advertise('kubernetes', { stamp: 'uid 2' }))

    expect(claimed.kind).toBe('advertised')
    expect(late.kind).toBe('claimedElsewhere')
    expect(ledger.cluster('paris')?.door).toBe('rest')
  })
})

describe('a reservation that an earlier broker had granted', () => {
  const held: Command = {
    kind: 'reserve',
    door: 'kubernetes',
    requester: 'rome',
    requestId: 'uid',
    wanted: { cpu: 12_000n },
    priority: 0,
    pinned: 'paris',
    isHeldAlready: true,
  }

  it('stays where it is though it does not fit: the cluster is overcommitted', () => {
    const { ledger, at } = aLedger()
    at(0, advertise('kubernetes', {}))

    const outcome = at(1, held)

    expect(outcome).toMatchObject({ kind: 'reserved', reservation: { phase: 'Reserved' } })
    expect(ledger.standing('paris')).toMatchObject({
      isOvercommitted: true,
      available: { cpu: -2_000n },
    })
  })

  it('is refused where its provider is unknown', () => {
    const { at } = aLedger()

    expect(at(1, held).kind).toBe('refused')
  })
})

describe('renewing a request that was edited', () => {
  it('takes the new request down, so that it is known by it', () => {
    const { at } = aLedger()
    const request = {
      kind: 'reserve',
      door: 'kubernetes',
      requester: 'rome',
      requestId: 'uid',
      wanted: { cpu: 1_000n },
      priority: 0,
    } as const
    at(0, advertise('kubernetes', {}))
    at(1, { ...request, durationMs: 60_000, fingerprint: 'a minute' })

    at(2, { kind: 'renew', id: 'rsv--1', durationMs: 120_000, fingerprint: 'two minutes' })

    expect(at(3, { ...request, fingerprint: 'two minutes' })).toMatchObject({
      kind: 'known',
      reservation: { expiresAt: 120_002 },
    })
  })
})
