import type { Reservation } from '@bourse/contract'
import {
  parseResources,
  printResources,
  type Resources,
  withoutZeros,
} from '@bourse/domain/quantity'

/** What an instruction says: enough to write it, and to tell whether it is written already. */
export type Terms = Readonly<{
  id: string
  /** The provider to a requester, the requester to a provider. */
  party: string
  endpoint?: string | undefined
  /** By canonical name. */
  amounts: Readonly<Record<string, string>>
  /** In the broker's time; absent: until released. */
  expiresAt?: string | undefined
}>

export type Role = 'requester' | 'provider'

/** The part of a reservation that concerns the caller, as the broker told it. */
export function termsOf(reservation: Reservation, role: Role): Terms {
  const { id, requesterID, targetClusterID, endpointURL, status } = reservation
  const amounts = printResources(amountsIn(reservation.requestedResources))
  const { expiresAt } = status
  if (role === 'provider') return { id, party: requesterID, amounts, expiresAt }
  return { id, party: targetClusterID, endpoint: endpointURL || undefined, amounts, expiresAt }
}

/** The Go original writes unknown amounts as empty strings. */
export function amountsIn(written: Readonly<Record<string, string | number>>): Resources {
  const given = Object.entries(written).filter(([, amount]) => amount !== '')
  const parsed = parseResources(Object.fromEntries(given), 'allocated')
  if (parsed.kind === 'ok') return withoutZeros(parsed.resources)
  // One that cannot be read must not hide the others: each is tried by itself.
  if (given.length <= 1) return {}
  return Object.assign({}, ...given.map(([name, amount]) => amountsIn({ [name]: amount })))
}

const SPOKEN: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  memory: 'Memory',
  'nvidia.com/gpu': 'GPU',
  'ephemeral-storage': 'Storage',
}

/** `4 CPU, 8Gi Memory`, the known ones first. */
export function spokenAmounts(amounts: Terms['amounts']): string {
  const known = Object.keys(SPOKEN).filter((name) => name in amounts)
  const others = Object.keys(amounts).filter((name) => !(name in SPOKEN))
  return [...known, ...others].map((name) => `${amounts[name]} ${SPOKEN[name] ?? name}`).join(', ')
}
