/**
 * Requests of one caller that are worked on at the same time, and that begin in one turn of the
 * event loop; more wait. Others are answered after all of these: 64 would take 10 to 20 ms.
 */
export const IN_WORK_MAX = 16
/** Requests of one caller that wait for that; beyond this it is told to come later. */
export const WAITING_MAX = 1_000
/** The same once the first of them has waited this long: more would wait even longer. */
export const WAITED_MAX_MS = 2_000
/** Bytes of large bodies that one caller sends at the same time. */
export const BODY_BYTES_MAX_EACH = 8 * 1024 * 1024
const BODY_BYTES_MAX_ALL = 128 * 1024 * 1024
/** Bytes of long answers that one caller has not read yet. */
export const UNREAD_BYTES_MAX_EACH = 8 * 1024 * 1024
const UNREAD_BYTES_MAX_ALL = 32 * 1024 * 1024
/** Callers remembered; beyond this those without any load are forgotten. */
const CALLERS_MAX = 10_000

/** What one caller has under way. Counts are never negative; all zero: it may be forgotten. */
export type CallerLoad = {
  readonly caller: string
  /** Requests that have begun and not ended; IN_WORK_MAX at most. */
  inWork: number
  /** How many have begun in `turn` of the event loop. */
  begun: number
  turn: number
  bodyBytes: number
  unreadBytes: number
  /** Begins, oldest first, when other work of this caller has ended. */
  waiting: Readonly<{ start(): void; since: number }>[]
  /** A release of the waiting ones is scheduled. */
  isReleasing: boolean
}

/** Why a caller has to wait. */
export type Overload = 'body' | 'unread' | 'concurrency'

/** What each caller has under way at the same time, through all interfaces. */
export function createCallerLoads(now: () => number) {
  const loads = new Map<string, CallerLoad>()
  let bodyBytes = 0
  let unreadBytes = 0
  /** Turns of the event loop in which something began. */
  let turn = 0
  let isTurnNoted = false

  return { of, overload, isBodyTooMuch, hasBegun, wait, leave, hold, keepUnread, totals }

  function of(caller: string): CallerLoad {
    const known = loads.get(caller)
    if (known) return known
    if (loads.size >= CALLERS_MAX) forgetIdle()
    const load: CallerLoad = {
      caller,
      inWork: 0,
      begun: 0,
      turn,
      bodyBytes: 0,
      unreadBytes: 0,
      waiting: [],
      isReleasing: false,
    }
    loads.set(caller, load)
    return load
  }

  function forgetIdle(): void {
    for (const [caller, load] of loads) {
      const isBusy = load.inWork + load.bodyBytes + load.unreadBytes + load.waiting.length > 0
      if (!isBusy) loads.delete(caller)
    }
  }

  /** `bytes`: of a large body that is to come. */
  function overload(load: CallerLoad, bytes: number): Overload | undefined {
    const { unreadBytes: unread } = load
    if (unread > 0 && (unread >= UNREAD_BYTES_MAX_EACH || unreadBytes >= UNREAD_BYTES_MAX_ALL))
      return 'unread'
    if (bytes > 0 && isBodyTooMuch(load, bytes)) return 'body'
    return isBehind(load) ? 'concurrency' : undefined
  }

  /** `isSmall`: only the limit of its own caller applies, not the one of all callers. */
  function isBodyTooMuch(load: CallerLoad, bytes: number, isSmall = false): boolean {
    const { bodyBytes: sending } = load
    const isAboveOwn = sending > 0 && sending + bytes > BODY_BYTES_MAX_EACH
    return isAboveOwn || (!isSmall && bodyBytes + bytes > BODY_BYTES_MAX_ALL)
  }

  function isBehind({ waiting }: CallerLoad): boolean {
    const [first] = waiting
    if (!first) return false
    return waiting.length >= WAITING_MAX || now() - first.since > WAITED_MAX_MS
  }

  /** Takes room for a request, if there is some. */
  function hasBegun(load: CallerLoad): boolean {
    if (load.turn !== turn) enterTurn(load, 0)
    const isFull = load.inWork >= IN_WORK_MAX || load.begun >= IN_WORK_MAX
    if (isFull || load.waiting.length > 0) return false
    load.inWork += 1
    load.begun += 1
    noteTurn()
    return true
  }

  function enterTurn(load: CallerLoad, begun: number): void {
    load.turn = turn
    load.begun = begun
  }

  function noteTurn(): void {
    if (isTurnNoted) return
    isTurnNoted = true
    setImmediate(() => {
      isTurnNoted = false
      turn += 1
    })
  }

  /** Takes room as soon as there is some, and then calls back. */
  function wait(load: CallerLoad, start: () => void): void {
    load.waiting.push({ start, since: now() })
    // Those that began in this turn may all have left.
    if (load.inWork < IN_WORK_MAX) releaseSoon(load)
  }

  function leave(load: CallerLoad): void {
    load.inWork -= 1
    if (load.waiting.length > 0) releaseSoon(load)
  }

  function releaseSoon(load: CallerLoad): void {
    if (load.isReleasing) return
    load.isReleasing = true
    // In another turn of the event loop: others come first.
    setImmediate(release, load)
  }

  function release(load: CallerLoad): void {
    load.isReleasing = false
    const started = load.waiting.splice(0, Math.max(0, IN_WORK_MAX - load.inWork))
    load.inWork += started.length
    enterTurn(load, started.length)
    for (const { start } of started) start()
  }

  /** Counts a large body while it is in memory; negative bytes when it is no longer. */
  function hold(load: CallerLoad, bytes: number): void {
    load.bodyBytes += bytes
    bodyBytes += bytes
  }

  /** Counts a long answer until it is read; negative bytes when it has been. */
  function keepUnread(load: CallerLoad, bytes: number): void {
    load.unreadBytes += bytes
    unreadBytes += bytes
  }

  function totals() {
    let inWork = 0
    let waiting = 0
    for (const load of loads.values()) {
      inWork += load.inWork
      waiting += load.waiting.length
    }
    return { inWork, waiting, bodyBytes, unreadBytes }
  }
}
