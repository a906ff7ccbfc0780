import type { ReservationRow } from '@bourse/contract/dashboard'
import { formatCount } from '../format/amount.ts'

export type Ending = ReservationRow & Readonly<{ expiresAt: number }>

export function nextToExpire(rows: readonly ReservationRow[]): Ending | undefined {
  const ending = rows.filter((row): row is Ending => row.expiresAt !== undefined)
  return ending.reduce<Ending | undefined>(
    (soonest, row) => (soonest && soonest.expiresAt <= row.expiresAt ? soonest : row),
    undefined,
  )
}

export function describePhases(rows: readonly ReservationRow[]): string {
  const active = rows.filter((row) => row.phase === 'Active').length
  return rows.length === 0 ? 'none yet' : `${formatCount(active)} active`
}
