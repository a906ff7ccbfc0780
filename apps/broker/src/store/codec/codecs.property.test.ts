import type { ImagePart } from '@bourse/domain/ledger'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { events, parts } from '../../../fixtures/store/codec/codec-arbitraries.ts'
import { decodeEvent, encodeEvent } from './event-codec.ts'
import { createPartDecoder, encodePart } from './image-codec.ts'

describe('an event', () => {
  it.each(events)('of kind %s survives its line unchanged', (_kind, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (event) => {
        const line = encodeEvent(event)

        expect(line).not.toContain('\n')
        expect(decodeEvent(line)).toEqual(event)
      }),
    )
  })

  it('of a kind that this version does not know is refused', () => {
    expect(() => decodeEvent('{"kind":"preempted"}')).toThrow('An event of kind "preempted"')
  })
})

describe('a part of a snapshot', () => {
  it.each(Object.entries(parts))('of kind %s survives its line unchanged', (_kind, arbitrary) => {
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 3 }), (some: readonly ImagePart[]) => {
        const decode = createPartDecoder()

        expect(some.map(encodePart).map(decode)).toEqual(some)
      }),
    )
  })
})
