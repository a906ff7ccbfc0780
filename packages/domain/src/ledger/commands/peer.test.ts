import { beforeEach, describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../placement/index.ts'
import type { Command, Ledger, Outcome } from '../index.ts'
import { createLedger } from '../index.ts'

const supply = { cpu: 10n }

describe('a requester with as many sessions as it may have', () => {
  let ledger: Ledger
  beforeEach(() => {
    ledger = createLedger({
      policy: defaultPolicy,
      currency: 'EUR',
      staleAfterMs: 60_000,
      drainTimeoutMs: 20_000,
      reclaimAfterMs: 120_000,
    })
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
    const advertisement = {
      clusterName: '',
      capacity: supply,
      allocatable: supply,
      allocated: {},
      used: {},
    }
    run({ kind: 'advertise', door: 'rest', clusterId: provider, advertisement })
    const reservation = { requester: 'rome', pinned: provider, wanted: { cpu: 1n }, priority: 0 }
    run({ kind: 'reserve', door: 'rest', ...reservation })
    const pair = { id, requester: 'rome', provider }
    return run({ kind: 'openPeering', ...pair, networking: 'none', hello: 'x' })
  }

  function run(command: Command): Outcome {
    return ledger.execute(command, { now: 1, index: 1 }).outcome
  }
})
