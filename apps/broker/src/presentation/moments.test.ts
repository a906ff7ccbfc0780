import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoOf } from './moments.ts'

it('prints moments as dates do, whichever were printed before', () => {
  const moment = fc.integer({ min: -1_000_000, max: 4_102_444_800_000 })
  fc.assert(
    fc.property(moment, fc.nat(2_000), (at, later) => {
      expect(isoOf(at)).toBe(new Date(at).toISOString())
      expect(isoOf(at + later)).toBe(new Date(at + later).toISOString())
    }),
  )
})

it('prints milliseconds with three digits', () => {
  expect(isoOf(1_700_000_000_007)).toBe('2023-11-14T22:13:20.007Z')
})
