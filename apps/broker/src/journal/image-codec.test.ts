import { expect, it } from 'vitest'
import { createPartDecoder, encodePart } from './image-codec.ts'
import { aReservation } from './journal-samples.ts'

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

  expect(() => decode('{"v":2,"kind":"header"}')).toThrow('written by a newer broker')
})
