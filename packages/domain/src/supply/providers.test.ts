import { describe, expect, it } from 'vitest'
import { advertise, settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { type Command, createLedger } from '../ledger/index.ts'

const reserve = (cpu: bigint): Command => ({
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu },
  priority: 0,
})

describe('a provider that goes and comes back before the next decision', () => {
  it('is judged by what it has now, not by what it let go of before', () => {
    const ledger = createLedger(settings)
    const tell = (command: Command) => ledger.execute(command, { now: 1_000, index: 1 }).outcome
    tell(advertise('paris', supplyOf({ cpu: 8_000n })))
    const granted = tell(reserve(1_000n))
    const { id } = 'reservation' in granted ? granted.reservation : { id: '' }

    tell({ kind: 'release', id })
    tell({ kind: 'decommission', clusterId: 'paris' })
    tell(advertise('paris', supplyOf({ cpu: 2_000n })))

    expect(tell(reserve(4_000n)).kind).toBe('refused')
    expect(tell(reserve(2_000n)).kind).toBe('reserved')
  })
})
