import type { Phase } from './reservation.ts'

type Change = 'activate' | 'renew' | 'release'

/** Which change each phase allows, and the phase it leads to. */
const table: Readonly<Record<Phase, Readonly<Partial<Record<Change, Phase>>>>> = {
  Pending: { release: 'Released' },
  Reserved: { activate: 'Active', renew: 'Reserved', release: 'Released' },
  Active: { renew: 'Active', release: 'Released' },
  Released: {},
  Failed: {},
}

export function phaseAfter(phase: Phase, change: Change): Phase | undefined {
  return table[phase][change]
}

/**
 * Has not ended: it is listed, keeps its request id and its deadline, and can be released. A
 * `Pending` one is live and holds nothing yet.
 */
export function isLive(phase: Phase): boolean {
  return holdsNow(phase) || phase === 'Pending'
}

/**
 * Holds the resources of its legs: its providers have less available. Implies `isLive`. A draining
 * reservation has ended: its providers know what they still hold.
 */
export function holdsNow(phase: Phase): boolean {
  return phase === 'Reserved' || phase === 'Active'
}
