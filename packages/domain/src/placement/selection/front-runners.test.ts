import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstOf, OUT } from './first-of.ts'
import { createFrontRunners } from './front-runners.ts'

// Few ranks, so that ties at every place are common.
const ranks = fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(OUT)), {
  minLength: 1,
  maxLength: 200,
})
const changes = fc.array(
  fc.record({ at: fc.nat(199), rank: fc.integer({ min: 0, max: 50 }), except: fc.nat(250) }),
  { maxLength: 60 },
)

it('finds the same first ones as a look at all of them, after any changes', () => {
  fc.assert(
    fc.property(ranks, changes, fc.integer({ min: 1, max: 6 }), (begun, story, max) => {
      const frontRunners = createFrontRunners()
      const now = Float64Array.from(begun)
      const isBefore = (left: number, right: number) =>
        now[left] === now[right] ? left < right : (now[left] ?? 0) > (now[right] ?? 0)
      const order = { count: now.length, max, ranks: now, isBefore }

      for (const { at, rank, except } of story) {
        const found = frontRunners.first(order, except)
        const without = now.map((each, place) => (place === except ? OUT : each))
        expect(found).toEqual(firstOf({ ...order, ranks: without }))
        // Those that are out stay out: only then do others rank as before.
        if (at >= now.length || now[at] === OUT) continue
        now[at] = rank
        frontRunners.moved(at, rank)
      }
    }),
    { numRuns: 1_000 },
  )
})

it('begins anew when more have overtaken than it keeps in view', () => {
  const frontRunners = createFrontRunners()
  const ranks = Float64Array.from({ length: 500 }, (_, at) => at)
  const isBefore = (left: number, right: number) => (ranks[left] ?? 0) > (ranks[right] ?? 0)
  const order = { count: ranks.length, max: 2, ranks, isBefore }
  frontRunners.first(order)
  frontRunners.first(order)

  for (let at = 0; at < 100; at += 1) {
    ranks[at] = 1_000 + at
    frontRunners.moved(at, 1_000 + at)
  }

  expect(frontRunners.first(order)).toEqual([99, 98])
})
