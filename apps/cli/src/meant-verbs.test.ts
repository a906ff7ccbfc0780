import { expect, it } from 'vitest'
import { meantVerbs } from './meant-verbs.ts'
import { verbs } from './verbs.ts'

it.each([
  ['reserv', ['reserve', 'reservations']],
  ['wach', ['watch']],
  ['realease', ['release']],
  ['explian', ['explain']],
  ['reservation', ['reservations']],
  ['get', []],
  ['list', []],
  ['cl', ['clusters']],
  ['x', []],
])('%s may be meant for %j', (written, meant) => {
  const names = verbs.map(({ name }) => name)

  expect(meantVerbs(written, names)).toEqual(meant)
})
