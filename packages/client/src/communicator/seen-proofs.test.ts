import { describe, expect, it } from 'vitest'
import { createSeenProofs } from './seen-proofs.ts'

const at = (index: number, ledgerId = 'ledger-1') => ({ ledgerId, proof: `${index}.hash.mac` })

describe('proofs that were seen', () => {
  it('are none at first, and none of a broker that gives none', () => {
    const seen = createSeenProofs()

    seen.heard({})
    seen.heard({ ledgerId: 'ledger-1' })

    expect(seen.text()).toBeUndefined()
  })

  it('are the newest, also when an older one comes later', () => {
    const seen = createSeenProofs()

    seen.heard(at(7))
    seen.heard(at(40))
    seen.heard(at(8))

    expect(seen.text()).toBe('ledger-1/40.hash.mac')
  })

  it('go to the ledger that they are of', () => {
    const seen = createSeenProofs()
    seen.heard(at(40))

    seen.heard(at(3, 'ledger-2'))

    expect(seen.text()).toBe('ledger-2/3.hash.mac')
    seen.heard(at(2))
    expect(seen.text()).toBe('ledger-1/40.hash.mac')
  })

  it('are remembered from an earlier run until another ledger answers', () => {
    const seen = createSeenProofs()

    seen.remember(at(40))
    seen.remember(at(39))

    expect(seen.text()).toBe('ledger-1/40.hash.mac')
    seen.heard({ ledgerId: 'ledger-2' })
    expect(seen.text()).toBeUndefined()
  })

  it('are of a few ledgers only', () => {
    const seen = createSeenProofs()
    for (let nth = 1; nth <= 5; nth++) seen.heard(at(nth, `ledger-${nth}`))

    seen.heard({ ledgerId: 'ledger-1' })

    expect(seen.text()).toBeUndefined()
  })

  it('are not made of what is no proof', () => {
    const seen = createSeenProofs()

    seen.heard({ ledgerId: 'ledger-1', proof: 'what' })

    expect(seen.text()).toBeUndefined()
  })
})
