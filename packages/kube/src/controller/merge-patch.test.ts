import { expect, it } from 'vitest'
import { type Json, mergePatchOf } from './merge-patch.ts'

it.each<{ name: string; before: Json; after: Json; patch: Json | undefined }>([
  {
    name: 'nothing when nothing differs, in any order',
    before: { phase: 'Reserved', at: { a: 1, b: [1, { c: 2 }] } },
    after: { at: { b: [1, { c: 2 }], a: 1 }, phase: 'Reserved' },
    patch: undefined,
  },
  {
    name: 'nothing when a field is undefined here and absent there',
    before: {},
    after: { message: undefined, at: undefined },
    patch: undefined,
  },
  { name: 'a new value', before: { a: 1 }, after: { a: 2 }, patch: { a: 2 } },
  { name: 'null for what went', before: { a: 1, b: 2 }, after: { b: 2 }, patch: { a: null } },
  {
    name: 'only the inner field that differs',
    before: { at: { a: 1, b: 2 } },
    after: { at: { a: 1, b: 3 } },
    patch: { at: { b: 3 } },
  },
  {
    name: 'a list as a whole',
    before: { list: [1, 2] },
    after: { list: [1, 2, 3] },
    patch: { list: [1, 2, 3] },
  },
])('a merge patch has $name', ({ before, after, patch }) => {
  expect(mergePatchOf(before, after)).toEqual(patch)
})
