import { sizeLimits } from '@bourse/domain/limits'
import { type Chance, createChance } from '@bourse/testkit/chance'

/** What a story may tell of. Most are off in most stories: bugs hide where few things happen often. */
const FEATURES = [
  'actors',
  'adoption',
  'agreed prices',
  'bad ids',
  'cordons',
  'decommissions',
  'doors',
  'durations',
  'forgetting',
  'heartbeats',
  'hidden numbers',
  'huge amounts',
  'many resources',
  'one node',
  'peering',
  'pins',
  'pruning',
  'rates',
  'renewals',
  'request ids',
  'restarts',
  'snapshots',
  'stamps',
  'use',
  'withdrawals',
] as const
export type Feature = (typeof FEATURES)[number]

export type Shape = Readonly<{
  has: ReadonlySet<Feature>
  clusters: readonly string[]
  requesters: readonly string[]
  requestIds: readonly string[]
  /** About as many reservations are live at a time. */
  liveAbout: number
  pace: 'still' | 'steady' | 'leaping'
  weights: Readonly<{ resources: number; cost: number }>
  limits: Readonly<Partial<typeof sizeLimits>>
}>

const PLACES = 'paris oslo rome berlin lyon bonn graz nice turin porto malmo ghent'.split(' ')
const TEAMS = ['ana', 'bo']
const POLICIES = [
  { resources: 70, cost: 30 },
  { resources: 70, cost: 30 },
  { resources: 1, cost: 0 },
  { resources: 0, cost: 1 },
  { resources: 1, cost: 3 },
]
/** Small enough to be met within a few steps. */
const LOW: Readonly<Record<keyof typeof sizeLimits, readonly number[]>> = {
  shiftsKept: [1, 2, 3],
  firstSlots: [1, 2],
  columnsMax: [1, 2, 3],
  sheetsMax: [1, 2],
  frontRunnersKept: [1, 5, 6],
  insertedMax: [0, 1, 3],
  tidyMin: [1, 2],
  rowLength: [1, 3],
  listedMax: [1, 2],
  mootMin: [1, 3],
  dueMax: [1, 2, 3],
  partSizeMax: [1, 2],
  agreementsKept: [1, 2],
  peeringsMax: [1, 2],
}

export function shapeOf(seed: number): Shape {
  const chance = createChance(seed * 7 + 1)
  const rate = chance.pick([0.15, 0.3, 0.5, 0.9]) ?? 0.3
  const clusters = PLACES.slice(0, chance.pick([1, 2, 2, 3, 4, 6, 9, 12]))
  return {
    has: new Set(FEATURES.filter(() => chance.next() < rate)),
    clusters,
    requesters: [...clusters.slice(0, chance.between(0, 3)), ...TEAMS],
    requestIds: Array.from({ length: chance.pick([1, 4, 12, 60]) ?? 4 }, (_, nth) => `id${nth}`),
    liveAbout: chance.pick([1, 3, 6, 12, 30]) ?? 6,
    pace: chance.pick(['still', 'steady', 'steady', 'leaping'] as const) ?? 'steady',
    weights: chance.pick(POLICIES) ?? { resources: 70, cost: 30 },
    limits: chance.next() < 0.25 ? {} : lowered(chance),
  }
}

function lowered(chance: Chance): Shape['limits'] {
  const names = Object.keys(LOW) as (keyof typeof LOW)[] // its own keys
  const some = names.filter(() => chance.next() < 0.5)
  return Object.fromEntries(some.map((name) => [name, chance.pick(LOW[name])]))
}

/** Runs a story under its own limits; the usual ones come back afterwards. */
export function underLimits<T>(limits: Shape['limits'], run: () => T): T {
  const usual = { ...sizeLimits }
  Object.assign(sizeLimits, limits)
  try {
    return run()
  } finally {
    Object.assign(sizeLimits, usual)
  }
}
