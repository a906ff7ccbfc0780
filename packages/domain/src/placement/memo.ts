import { fits, type Resources } from '../quantity/resources.ts'
import type { Board } from './board/board.ts'
import { type Field, markOf, PASSED } from './board/verdicts.ts'
import { createSieve } from './filters/filtering.ts'
import type { Policy } from './scorers/policy.ts'
import { createScoring, type Scoring } from './scorers/scoring.ts'

/** All clusters judged for what is wanted, whoever wants it: nobody is refused as the requester. */
export type Sheet = Readonly<{ field: Field; scoring: Scoring }>

/** A burst asks for few different things. A sheet takes 30 bytes a cluster, at most twice that. */
const SHEETS_MAX = 8
const NOBODY = ''
const INSUFFICIENT = markOf('Insufficient')

/**
 * Keeps the judgement of the last requests, since the next one often wants the same. Between two of
 * them only a few clusters have granted or got back something, and most often only these need to
 * be looked at again. What comes out is, to the last bit, what judging all of them would give.
 */
export function createSheets(policy: Policy) {
  /** The latest used comes first. */
  const sheets: KeptSheet[] = []

  return function sheetFor(board: Board, wanted: Resources): Sheet {
    let place = sheets.findIndex((sheet) => sheet.isFor(board, wanted))
    if (place < 0) place = sheets.length < SHEETS_MAX ? sheets.length : SHEETS_MAX - 1
    const sheet = sheets[place] ?? createSheet(policy)
    for (; place > 0; place -= 1) sheets[place] = sheets[place - 1] ?? sheet
    sheets[0] = sheet
    return sheet.bringUpToDate(board, wanted)
  }
}

type KeptSheet = ReturnType<typeof createSheet>

function createSheet(policy: Policy) {
  const sift = createSieve()
  const scoring = createScoring(policy)
  let sheet: Sheet | undefined
  let layout = 0
  let shiftsSeen = 0

  return { isFor, bringUpToDate }

  function isFor(board: Board, wanted: Resources): boolean {
    if (sheet?.field.board !== board) return false
    return isSameList(sheet.field.request.wanted, wanted)
  }

  function bringUpToDate(board: Board, wanted: Resources): Sheet {
    if (sheet && isFor(board, wanted) && revise(sheet.field)) return sheet
    const field = sift(board, { requester: NOBODY, wanted })
    scoring.weigh(field)
    layout = board.layout
    shiftsSeen = board.shifts.count
    sheet = { field, scoring }
    return sheet
  }

  /** Looks at those again that hold more or less than before; false: that does not suffice. */
  function revise(field: Field): boolean {
    const { count, slots } = field.board.shifts
    if (layout !== field.board.layout || count - shiftsSeen > slots.length) return false
    for (; shiftsSeen < count; shiftsSeen += 1)
      if (!reviseOne(field, slots[shiftsSeen % slots.length] ?? 0)) return false
    return true
  }

  /** A candidate that joins or leaves may change what others score. */
  function reviseOne(field: Field, slot: number): boolean {
    const { board, request, verdicts } = field
    const verdict = verdicts.bySlot[slot]
    if (verdict !== PASSED && verdict !== INSUFFICIENT) return true
    const isCandidate = verdict === PASSED
    if (fits(request.wanted, board.exact(slot).available) !== isCandidate) return false
    if (isCandidate) scoring.reweigh(field, slot)
    return true
  }
}

/** Also in the same order, in which scores are added up: another one may differ in the last bit. */
function isSameList(left: Resources, right: Resources): boolean {
  const names = Object.keys(left)
  let nth = 0
  for (const name in right) {
    if (names[nth] !== name || left[name] !== right[name]) return false
    nth += 1
  }
  return nth === names.length
}
