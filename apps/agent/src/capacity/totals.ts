import type { Resources } from '@bourse/domain/quantity'
import { type BorrowersOf, usedByReservation } from './borrowers.ts'
import type { LeftOut, Measurement } from './measurement.ts'
import type { Sums } from './sums.ts'

/** Sums over the counted nodes, in the form in which they are kept up to date. */
export type Totals = {
  capacity: Sums
  allocatable: Sums
  free: Sums
  usedByUser: Map<string, Sums>
  gpuModels: Map<string, number>
  nodes: number
  nodesLeftOut: Map<LeftOut, number>
}

export type Extremes = Readonly<{ largestFit: Sums; problems: readonly string[] }>

export function createTotals(): Totals {
  return {
    capacity: new Map(),
    allocatable: new Map(),
    free: new Map(),
    usedByUser: new Map(),
    gpuModels: new Map(),
    nodes: 0,
    nodesLeftOut: new Map(),
  }
}

/** The order in which names are told when there are too many of them. */
const FIRST = ['cpu', 'memory', 'pods', 'ephemeral-storage']
/** contract: the broker takes no more names in one map of resources. */
const NAMES_MAX = 64
const PROBLEMS_MAX = 20

export function toMeasurement(
  totals: Totals,
  { largestFit, problems }: Extremes,
  borrowersOf: BorrowersOf,
): Measurement {
  const { capacity, allocatable, free } = totals
  const { names, problem } = namesOf(capacity)
  const told = (amount: (name: string) => bigint): Resources =>
    Object.fromEntries(names.map((name) => [name, amount(name)]))
  const atMost = told((name) => allocatable.get(name) ?? 0n)
  return {
    capacity: told((name) => capacity.get(name) ?? 0n),
    allocatable: atMost,
    allocated: told((name) => (allocatable.get(name) ?? 0n) - (free.get(name) ?? 0n)),
    largestFit: told((name) => largestFit.get(name) ?? 0n),
    used: usedByReservation(totals.usedByUser, borrowersOf, atMost),
    gpuModels: Object.fromEntries([...totals.gpuModels].sort()),
    nodes: totals.nodes,
    nodesLeftOut: Object.fromEntries([...totals.nodesLeftOut].sort()),
    problems: shortened(problem ? [problem, ...problems] : problems),
  }
}

/** All maps have the same names, zeros included: some brokers fall over a name that is missing. */
function namesOf(capacity: Sums): { names: string[]; problem: string | undefined } {
  const first = FIRST.filter((name) => capacity.has(name) || name === 'cpu' || name === 'memory')
  const rest = [...capacity.keys()].filter((name) => !FIRST.includes(name)).sort()
  const all = [...first, ...rest]
  const names = all.slice(0, NAMES_MAX).sort()
  if (all.length <= NAMES_MAX) return { names, problem: undefined }
  const problem = `The nodes have ${all.length} kinds of resources; ${NAMES_MAX} are advertised, those from ${all[NAMES_MAX]} on are not.`
  return { names, problem }
}

function shortened(problems: readonly string[]): readonly string[] {
  if (problems.length <= PROBLEMS_MAX) return problems
  const told = problems.slice(0, PROBLEMS_MAX)
  return [...told, `… and ${problems.length - PROBLEMS_MAX} more problems.`]
}
