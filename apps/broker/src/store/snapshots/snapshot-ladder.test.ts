import { describe, expect, it } from 'vitest'
import type { Rung } from '../port/store.ts'
import { chooseRungs } from './snapshot-ladder.ts'

const HISTORY_MS = 400

describe('chooseRungs', () => {
  it.each([
    { name: 'keeps everything while there is no snapshot', rungs: [], keepFrom: 1, also: [] },
    {
      name: 'begins at the newest that is old enough',
      rungs: [at(500), at(600)],
      keepFrom: 601,
      also: [],
    },
    {
      name: 'keeps one for each quarter of the history',
      rungs: [at(600), at(650), at(700), at(750), at(850)],
      keepFrom: 601,
      also: [700, 850],
    },
    {
      name: 'keeps the first of a young ledger, so that the beginning can move up one day',
      rungs: [at(700), at(750), at(900)],
      keepFrom: 1,
      also: [700, 900],
    },
  ])('$name', ({ rungs, keepFrom, also }) => {
    expect(chooseRungs(rungs, 1_000, HISTORY_MS)).toEqual({ keepFrom, also })
  })
})

/** A snapshot whose index is its time, to keep the rows readable. */
function at(moment: number): Rung {
  return { index: moment, at: moment }
}
