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

export function isLive(phase: Phase): boolean {
  return phase === 'Reserved' || phase === 'Active' || phase === 'Pending'
}
