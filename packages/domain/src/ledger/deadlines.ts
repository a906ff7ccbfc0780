/** Of a reservation, by its number, of a cluster, or of a peering session. */
export type Deadline =
  | Readonly<{ kind: 'expiry'; of: number }>
  | Readonly<{ kind: 'drain'; of: number }>
  | Readonly<{ kind: 'stale'; of: string }>
  | Readonly<{ kind: 'withdrawal'; of: string }>
  | Readonly<{ kind: 'reclaim'; of: string }>
  | Readonly<{ kind: 'peering'; of: string }>

/**
 * What falls due when, as a binary heap over parallel arrays: a million entries cost some 25 bytes
 * each. Entries are hints: whoever pops one looks at the current state and adds a new entry if the
 * matter has moved to a later time, so nothing is ever searched or removed from the middle.
 */
export function createDeadlines() {
  const moments: number[] = []
  const kinds: Deadline['kind'][] = []
  const subjects: Deadline['of'][] = []

  return { add, popDue, next }

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
    // The two were added together.
    const due = { kind: kinds[0], of: subjects[0] } as Deadline
    swap(0, moments.length - 1)
    moments.pop()
    kinds.pop()
    subjects.pop()
    sink(0)
    return due
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
