import { sizeLimits } from '../limits.ts'
import type { Resources } from '../quantity/resources.ts'
import type { Board } from './board/board.ts'
import { type Field, PASSED, verdictOf } from './board/verdicts.ts'
import type { Need, PlacementRequest } from './decision/decision.ts'
import { lackOfRoom } from './decision/room.ts'
import { createFiltering } from './filters/filtering.ts'
import { notTheRequester } from './filters/not-the-requester-filter.ts'
import type { Rules } from './rules.ts'
import type { Policy } from './scorers/policy.ts'
import { createScoring, type Scoring } from './scorers/scoring.ts'

/**
 * All clusters judged for all requests that agree on what the rules need. It includes the
 * requester's own cluster, which the caller leaves out.
 */
export type Sheet = Readonly<{ field: Field; scoring: Scoring }>

/** In place of a requester that no rule needs. No cluster has this id. */
const NO_REQUESTER = ''
/** The verdicts that follow from what a cluster holds, by `lackOfRoom`. */
const BY_ROOM: readonly number[] = [PASSED, verdictOf('Insufficient'), verdictOf('NoNodeFits')]

/** Seldom the same twice: a request with one of these gets no sheet. */
const UNKEPT: readonly Need[] = ['pinned']

type Same = (left: PlacementRequest, right: PlacementRequest) => boolean

/** Whether two requests agree on a field, for each field. */
const agreeOn: Readonly<Record<Need, Same>> = {
  wanted: (left, right) => isSameList(left.wanted, right.wanted),
  requester: (left, right) => left.requester === right.requester,
  pinned: (left, right) => left.pinned === right.pinned,
  oneNode: (left, right) => left.oneNode === right.oneNode,
}

/**
 * Caches the judgement of the last requests: the next one often wants the same. Between two
 * requests the holdings of few clusters change, and usually only these are judged again. The result
 * equals, to the last bit, that of judging all clusters.
 *
 * The key is what filters and scorers declare to need; they are given nothing else.
 */
export function createSheets(policy: Policy, rules: Rules) {
  const filters = rules.filters.filter(({ name }) => name !== notTheRequester.name)
  const scorers = rules.scorers.filter(({ name }) => policy.weights.has(name))
  const keyed: Rules = { ...rules, filters, scorers }
  const needs = needsOf(keyed)
  const unkept = UNKEPT.filter((need) => needs.includes(need))
  /** Most recently used first. */
  const sheets: KeptSheet[] = []

  /** Undefined: such a request is not cached. */
  return function sheetFor(board: Board, request: PlacementRequest): Sheet | undefined {
    for (const need of unkept) if (request[need] !== undefined) return undefined
    let place = sheets.findIndex((sheet) => sheet.isFor(board, request))
    const { sheetsMax } = sizeLimits
    if (place < 0) place = sheets.length < sheetsMax ? sheets.length : sheetsMax - 1
    const sheet = sheets[place] ?? createSheet({ policy, rules: keyed, needs })
    for (; place > 0; place -= 1) sheets[place] = sheets[place - 1] ?? sheet
    sheets[0] = sheet
    return sheet.bringUpToDate(board, request)
  }
}

/** `wanted` is always one: a decision returns it, and `reviseOne` compares with it. */
function needsOf({ filters, scorers }: Rules): readonly Need[] {
  return [...new Set<Need>(['wanted', ...[...filters, ...scorers].flatMap(({ needs }) => needs)])]
}

type KeptSheet = ReturnType<typeof createSheet>
type Judging = Readonly<{ policy: Policy; rules: Rules; needs: readonly Need[] }>

function createSheet({ policy, rules, needs }: Judging) {
  const filterAll = createFiltering(rules.filters)
  const scoring = createScoring(policy, rules.scorers)
  let sheet: Sheet | undefined
  let layout = 0
  let shiftsSeen = 0

  return { isFor, bringUpToDate }

  function isFor(board: Board, request: PlacementRequest): boolean {
    if (sheet?.field.board !== board) return false
    for (const need of needs) if (!agreeOn[need](sheet.field.request, request)) return false
    return true
  }

  function bringUpToDate(board: Board, request: PlacementRequest): Sheet {
    if (sheet && isFor(board, request) && revise(sheet.field)) return sheet
    const field = filterAll(board, onlyNeeded(request, needs))
    scoring.weigh(field)
    layout = board.layout
    shiftsSeen = board.shifts.count
    sheet = { field, scoring }
    return sheet
  }

  /** Judges the clusters with changed holdings again. False: all must be judged again. */
  function revise(field: Field): boolean {
    const { count, slots } = field.board.shifts
    if (layout !== field.board.layout || count - shiftsSeen > slots.length) return false
    for (; shiftsSeen < count; shiftsSeen += 1)
      if (!reviseOne(field, slots[shiftsSeen % slots.length] ?? 0)) return false
    return true
  }

  /** False: its verdict changes. A candidate that joins or leaves may change other scores. */
  function reviseOne(field: Field, slot: number): boolean {
    const { board, request, verdicts } = field
    const verdict = verdicts.bySlot[slot] ?? PASSED
    if (!BY_ROOM.includes(verdict)) return true
    const lack = lackOfRoom(request, board.exact(slot))
    if (verdict !== (lack === undefined ? PASSED : verdictOf(lack))) return false
    if (lack === undefined) scoring.reweigh(field, slot)
    return true
  }
}

function onlyNeeded(request: PlacementRequest, needs: readonly Need[]): PlacementRequest {
  const needed = needs.flatMap((need) => (need in request ? [[need, request[need]]] : []))
  return { requester: NO_REQUESTER, wanted: request.wanted, ...Object.fromEntries(needed) }
}

/** Also in the same order: scores are added up in it, and another may differ in the last bit. */
function isSameList(left: Resources, right: Resources): boolean {
  const names = Object.keys(left)
  let nth = 0
  for (const name in right) {
    if (names[nth] !== name || left[name] !== right[name]) return false
    nth += 1
  }
  return nth === names.length
}
