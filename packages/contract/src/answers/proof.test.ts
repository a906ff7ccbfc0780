import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  PROOF_HASH_LENGTH,
  PROOF_MAC_LENGTH,
  parseProof,
  parseSeen,
  proofText,
  seenText,
} from './proof.ts'

const lettersOf = (letters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length })
const proofs = fc.record({
  index: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  hash: lettersOf('0123456789abcdef', PROOF_HASH_LENGTH),
  mac: lettersOf('ABCxyz019_-', PROOF_MAC_LENGTH),
})
const ledgers = fc.stringMatching(/^[0-9a-z-]{1,64}$/)

describe('a proof', () => {
  it('is read as it was written, with any content', () => {
    fc.assert(
      fc.property(ledgers, proofs, (ledgerId, proof) => {
        expect(parseProof(proofText(proof))).toEqual(proof)
        expect(parseSeen(seenText(ledgerId, proofText(proof)))).toEqual({ ledgerId, proof })
      }),
    )
  })

  it('has one way to be written: what is read at all is what would be written', () => {
    const near = fc.oneof(
      fc.string(),
      proofs.map(proofText),
      fc.stringMatching(/^[\d.a-f-]{0,50}$/),
    )
    fc.assert(
      fc.property(near, (text) => {
        const proof = parseProof(text)
        if (proof) expect(proofText(proof)).toBe(text)
      }),
    )
  })

  const rest = `${'a'.repeat(PROOF_HASH_LENGTH)}.${'B'.repeat(PROOF_MAC_LENGTH)}`

  it.each([
    { name: 'nothing', text: '' },
    { name: 'no ledger', text: `/7.${rest}` },
    { name: 'no slash', text: `7.${rest}` },
    { name: 'a number that doubles cannot hold', text: `ledger-1/${2 ** 53}.${rest}` },
    { name: 'a number below zero', text: `ledger-1/-7.${rest}` },
    { name: 'a number in another notation', text: `ledger-1/7e3.${rest}` },
    { name: 'a leading zero', text: `ledger-1/07.${rest}` },
    { name: 'a short mac', text: `ledger-1/7.${rest.slice(0, -1)}` },
    { name: 'a long mac', text: `ledger-1/7.${rest}B` },
    { name: 'a line break at the end', text: `ledger-1/7.${rest}\n` },
    { name: 'an endless ledger', text: `${'a'.repeat(65)}/7.${rest}` },
  ])('is not read from $name', ({ text }) => {
    expect(parseSeen(text)).toBeUndefined()
  })
})
