import { sizeLimits } from '../limits.ts'

/** Of a reservation, by its number, of a cluster, or of a peering session. */
export type Deadline =
  | Readonly<{ kind: 'expiry'; of: number }>
  | Readonly<{ kind: 'drain'; of: number }>
  | Readonly<{ kind: 'stale'; of: string }>
  | Readonly<{ kind: 'withdrawal'; of: string }>
  | Readonly<{ kind: 'reclaim'; of: string }>
  | Readonly<{ kind: 'peering'; of: string }>

/**
 * What is due when. Stale clusters come first, even if much else is late: a silent cluster must get
 * nothing new, while a late expiry only keeps room taken.
 */
export function createDeadlines() {
  const silences = createHeap()
  const others = createHeap()
  return {
    add: (at: number, deadline: Deadline) =>
      (deadline.kind === 'stale' ? silences : others).add(at, deadline),
    popDue: (now: number) => silences.popDue(now) ?? others.popDue(now),
    next: () => earlier(silences.next(), others.next()),
    /** Only of the others: a `stale` deadline never becomes obsolete, it only moves. */
    ended: others.ended,
    size: () => silences.size() + others.size(),
  }
}

const earlier = (one: number | undefined, other: number | undefined) =>
  one !== undefined && other !== undefined ? Math.min(one, other) : (one ?? other)

/**
 * A binary heap over parallel arrays: some 25 bytes for each entry. Entries are hints: the caller
 * that pops one looks at the state, and adds a new entry if the deadline has moved. So nothing is
 * ever searched for. Obsolete entries are removed together once they may be half of all.
 */
function createHeap() {
  let moments: number[] = []
  let kinds: Deadline['kind'][] = []
  let subjects: Deadline['of'][] = []
  let moot = 0

  return { add, popDue, next, ended, size: () => moments.length }

  function add(at: number, { kind, of }: Deadline): void {
    moments.push(at)
    kinds.push(kind)
    subjects.push(of)
    rise(moments.length - 1)
  }

  function next(): number | undefined {
    return moments[0]
  }

  function popDue(now: number): Deadline | undefined {
    const at = moments[0]
    if (at === undefined || at > now) return undefined
    const due = deadlineAt(0)
    swap(0, moments.length - 1)
    moments.pop()
    kinds.pop()
    subjects.pop()
    sink(0)
    return due
  }

  /** One entry is obsolete. It stays until half of all may be. */
  function ended(isNeeded: (deadline: Deadline, at: number) => boolean): void {
    moot++
    if (moot < sizeLimits.mootMin || 2 * moot < moments.length) return
    moot = 0
    const kept = [...moments.keys()].filter((place) => isNeeded(deadlineAt(place), moment(place)))
    moments = kept.map((place) => moment(place))
    // `kept` has only places that exist.
    kinds = kept.map((place) => kinds[place] as Deadline['kind'])
    subjects = kept.map((place) => subjects[place] as Deadline['of'])
    for (let place = (moments.length >> 1) - 1; place >= 0; place--) sink(place)
  }

  /** The kind and its subject were added together. */
  function deadlineAt(place: number): Deadline {
    return { kind: kinds[place], of: subjects[place] } as Deadline
  }

  function rise(start: number): void {
    let here = start
    while (here > 0) {
      const parent = (here - 1) >> 1
      if (moment(parent) <= moment(here)) return
      swap(here, parent)
      here = parent
    }
  }

  function sink(start: number): void {
    let here = start
    for (;;) {
      const left = 2 * here + 1
      const right = left + 1
      let least = here
      if (left < moments.length && moment(left) < moment(least)) least = left
      if (right < moments.length && moment(right) < moment(least)) least = right
      if (least === here) return
      swap(here, least)
      here = least
    }
  }

  function moment(place: number): number {
    return moments[place] ?? Number.POSITIVE_INFINITY
  }

  function swap(a: number, b: number): void {
    swapIn(moments, a, b)
    swapIn(kinds, a, b)
    swapIn(subjects, a, b)
  }
}

function swapIn<T>(items: T[], a: number, b: number): void {
  const held = items[a] as T // both places exist: the heap only swaps within its length
  items[a] = items[b] as T
  items[b] = held
}
