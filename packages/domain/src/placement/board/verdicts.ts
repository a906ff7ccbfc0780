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
 * The verdict on each cluster, and a list of those that are out: usually few, so that a scan of all
 * clusters is not needed to find them.
 */
export type Verdicts = {
  /** `PASSED`, `ABSENT`, or `verdictOf` the first refusal. */
  readonly bySlot: Uint8Array
  /** The first `outCount` are the slots that did not pass, each once. */
  readonly out: Int32Array
  readonly outCount: number
  /** Keeps the first refusal: a later one changes nothing. */
  refuse(slot: number, verdict: number): void
}

/** All clusters after the filters. The candidates are those that passed. */
export type Field<N extends Need = Need, M extends string = string> = {
  readonly board: Board<M>
  readonly request: Pick<PlacementRequest, N>
  readonly verdicts: Verdicts
}

/** Reused for each decision. */
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
    refuse(slot, verdict) {
      if (bySlot[slot] !== PASSED) return
      bySlot[slot] = verdict
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

/** In the order of `REFUSAL_CODES`. */
export function verdictOf(code: RefusalCode): number {
  return REFUSAL_CODES.indexOf(code) + 1
}

export function codeOf(verdict: number): RefusalCode | undefined {
  return REFUSAL_CODES[verdict - 1]
}
