import { beforeEach, describe, expect, it } from 'vitest'
import { advertise, settings, supplyOf } from '../../../fixtures/ledger/ledger.ts'
import { type Command, createLedger, type Ledger, type Outcome } from '../index.ts'

describe('a requester with as many sessions as it may have', () => {
  let ledger: Ledger
  beforeEach(() => {
    ledger = createLedger(settings)
    for (let at = 0; at < 1_000; at++) peerWith(`paris-${at}`, `ps-${at}`)
  })

  it('gets no more', () => {
    const outcome = peerWith('oslo', 'ps-oslo')

    expect(outcome).toEqual({ kind: 'tooManyPeerings', count: 1_000 })
  })

  it('may begin one of them anew', () => {
    const outcome = peerWith('paris-7', 'ps-new')

    expect(outcome.kind).toBe('peering')
    expect(ledger.peering('ps-7')).toBeUndefined()
  })

  /** Reserves first: a pair peers only for a reservation. */
  function peerWith(provider: string, id: string): Outcome {
    run(advertise(provider, supplyOf({ cpu: 10n })))
    const reservation = { requester: 'rome', pinned: provider, wanted: { cpu: 1n }, priority: 0 }
    run({ kind: 'reserve', door: 'rest', ...reservation })
    const pair = { id, requester: 'rome', provider }
    return run({ kind: 'openPeering', ...pair, networking: 'none', hello: 'x' })
  }

  function run(command: Command): Outcome {
    return ledger.execute(command, { now: 1, index: 1 }).outcome
  }
})
