import { expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { reservationFields } from './fields.ts'
import { createPartDecoder, encodePart } from './image-codec.ts'

it('lets equal sizes, places and names be one object after a load', () => {
  const decode = createPartDecoder()
  const chunks = ['rsv-1', 'rsv-2'].map((id) =>
    encodePart({ kind: 'reservations', reservations: [aReservation(id)] }),
  )

  const [one, other] = chunks
    .map(decode)
    .flatMap((part) => (part.kind === 'reservations' ? part.reservations : []))

  expect(one?.wanted).toBe(other?.wanted)
  expect(one?.legs).toBe(other?.legs)
  expect(one?.wanted).toBe(one?.legs[0]?.resources)
})

it('refuses a snapshot of a newer format in one sentence', () => {
  const decode = createPartDecoder()

  expect(() => decode('{"v":999,"kind":"header"}')).toThrow('written by a newer broker')
})

it('refuses reservations of a newer format, and columns that it does not know', () => {
  const decode = createPartDecoder()
  const text = encodePart({ kind: 'reservations', reservations: [aReservation('rsv-1')] })
  const newer = `{"v":999,${text.slice(1)}`
  const absent = reservationFields.filter(({ isOptional }) => isOptional).length
  const longer = text.replace(/]]}$/, `${',null'.repeat(absent)},"acme"]]}`)

  expect(() => decode(newer)).toThrow('written by a newer broker')
  expect(() => decode(longer)).toThrow(`${reservationFields.length + 1} columns`)
})

it('can be read by earlier versions while there is no peering and no operator ended anything', () => {
  const header = { kind: 'header', ledgerId: 'seed', lastNumber: 0, lastAt: 0 } as const

  expect(encodePart(header)).toContain('"v":1')
  expect(encodePart({ kind: 'peerings', peerings: [] })).toContain('"v":2')
  const ended = aReservation('rsv-1', { phase: 'Released', endedBy: 'operator:ana@rest' })
  expect(encodePart({ kind: 'reservations', reservations: [ended] })).toContain('"v":3')
})
