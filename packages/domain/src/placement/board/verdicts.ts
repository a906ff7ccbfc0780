import {
  type Need,
  type PlacementRequest,
  REFUSAL_CODES,
  type RefusalCode,
} from '../decision/decision.ts'
import type { Board } from './board.ts'

export const PASSED = 0
export const ABSENT = 255

/**
 * What the filters have said of each cluster. Beside a byte a slot there is a list of those that
 * are out: usually few, so that nobody needs to go through all clusters to find them.
 */
export type Verdicts = {
  /** `PASSED`, `ABSENT`, or the mark of the first filter that refused the cluster. */
  readonly bySlot: Uint8Array
  /** The slots that did not pass, of which `outCount` count. */
  readonly out: Int32Array
  readonly outCount: number
  /** The first refusal is the one that is told: a later one changes nothing. */
  refuse(slot: number, mark: number): void
}

/** All clusters after every filter has spoken: candidates are those that passed. */
export type Field<N extends Need = Need, M extends string = string> = {
  readonly board: Board<M>
  readonly request: Pick<PlacementRequest, N>
  readonly verdicts: Verdicts
}

/** Verdicts that are used again for each decision. */
export function createVerdicts(): Verdicts & { begin(count: number): void } {
  let bySlot = new Uint8Array(0)
  let out = new Int32Array(0)
  let outCount = 0

  return {
    get bySlot() {
      return bySlot
    },
    get out() {
      return out
    },
    get outCount() {
      return outCount
    },
    refuse(slot, mark) {
      if (bySlot[slot] !== PASSED) return
      bySlot[slot] = mark
      out[outCount++] = slot
    },
    begin(count) {
      outCount = 0
      if (bySlot.length < count) {
        bySlot = new Uint8Array(2 * count)
        out = new Int32Array(2 * count)
      } else bySlot.fill(PASSED, 0, count)
    },
  }
}

/** How a refusal is noted. */
export function verdictOf(code: RefusalCode): number {
  return REFUSAL_CODES.indexOf(code) + 1
}

export function codeOf(mark: number): RefusalCode | undefined {
  return REFUSAL_CODES[mark - 1]
}
