import { describe, expect, it } from 'vitest'
import { type Address, createBrokerAddresses } from './broker-addresses.ts'

const A = { origin: 'https://a:1', base: '' }
const B = { origin: 'https://b:1', base: '' }
const C = { origin: 'https://c:1', base: '' }
const SILENT = { isSilent: true }
const NONE: ReadonlySet<string> = new Set()

describe('an address that did not answer in time', () => {
  it('is not asked first, even if the next one is a standby', () => {
    const { brokers } = addresses(A, B)

    brokers.failed(A, SILENT)
    brokers.failed(B)

    expect(brokers.first()).toEqual(B)
  })

  it('is not asked before others because a standby names it', () => {
    const { brokers } = addresses(A, B, C)

    brokers.failed(A, SILENT)

    expect(brokers.next(new Set([B.origin]), A.origin)).toEqual(C)
  })

  it('is asked when there is no other', () => {
    const { brokers } = addresses(A, B)

    brokers.failed(A, SILENT)

    expect(brokers.next(new Set([B.origin]), A.origin)).toEqual(A)
  })

  it('is asked in turn where all of them kept us waiting', () => {
    const { brokers } = addresses(A, B)

    brokers.failed(A, SILENT)
    brokers.failed(B, SILENT)

    expect(brokers.first()).toEqual(A)
  })

  it.each([
    ['it answers', ({ brokers }: Given) => brokers.answered(A)],
    ['half a minute has passed', ({ pass }: Given) => pass(30_000)],
  ])('is as good as the others once %s', (_, becomesGood) => {
    const given = addresses(A, B, C)
    given.brokers.failed(A, SILENT)

    becomesGood(given)

    expect(given.brokers.next(NONE, A.origin)).toEqual(A)
  })
})

type Given = ReturnType<typeof addresses>

function addresses(...listed: readonly Address[]) {
  let time = 0
  const brokers = createBrokerAddresses(listed.map(({ origin }) => origin).join(), () => time)
  const pass = (ms: number) => {
    time += ms
  }
  return { brokers, pass }
}
