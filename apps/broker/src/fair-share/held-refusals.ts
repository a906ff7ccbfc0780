/** Refusals told to one caller in a period; later ones wait for the next period. */
const TOLD_PER_PERIOD = 10
const PERIOD_MS = 100
/** Refusals held back for one caller: about as many as it may have connections. */
const HELD_MAX = 1_000

type Refusal = Readonly<{
  tell(): void
  hold?(): void
  /** Whether the caller has gone; default no. */
  isGone?(): boolean
  /** Its cost in small refusals; default 1. */
  weight?: number
}>
type Row = { told: number; held: Refusal[] }

/**
 * A refusal costs nearly as much as a small answer, and some callers repeat at once. So a caller is
 * told a hundred refusals a second; it waits for the others, and sends nothing meanwhile.
 */
export function createHeldRefusals() {
  const rows = new Map<string, Row>()
  let timer: NodeJS.Timeout | undefined

  return { refuse, held, stop: () => clearInterval(timer) }

  /** False: too many are held already, so this one is not answered. */
  function refuse(caller: string, refusal: Refusal): boolean {
    const row = rows.get(caller) ?? open(caller)
    if (row.told < TOLD_PER_PERIOD) {
      row.told += refusal.weight ?? 1
      refusal.tell()
      return true
    }
    if (row.held.length >= HELD_MAX) return false
    row.held.push(refusal)
    refusal.hold?.()
    return true
  }

  function open(caller: string): Row {
    const row = { told: 0, held: [] }
    rows.set(caller, row)
    timer ??= setInterval(nextPeriod, PERIOD_MS).unref()
    return row
  }

  function nextPeriod(): void {
    for (const [caller, row] of rows) {
      row.told = 0
      // Callers that are gone must not keep others waiting.
      row.held = row.held.filter(({ isGone }) => !isGone?.())
      const due = row.held.splice(0, countDue(row))
      if (due.length === 0) rows.delete(caller)
      for (const { tell } of due) tell()
    }
    if (rows.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function countDue(row: Row): number {
    let count = 0
    for (; count < row.held.length && row.told < TOLD_PER_PERIOD; count += 1)
      row.told += row.held[count]?.weight ?? 1
    return count
  }

  function held(): number {
    let count = 0
    for (const row of rows.values()) count += row.held.length
    return count
  }
}
