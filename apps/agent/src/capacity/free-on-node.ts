import { amountOf, type Resources } from '@bourse/domain/quantity'
import type { Sums } from './sums.ts'

/**
 * What one more pod could still get on a node: allocatable less requests, never below zero, so
 * that a node which owes something does not take it from what others have. Without a free slot for
 * a pod nothing can be placed, however much there is of the rest.
 */
export function freeOnNode(allocatable: Resources, requested: ReadonlySums): Resources {
  const free: Record<string, bigint> = {}
  const hasSlot = amountOf(allocatable, 'pods') > (requested.get('pods') ?? 0n)
  for (const name in allocatable) {
    const rest = amountOf(allocatable, name) - (requested.get(name) ?? 0n)
    free[name] = hasSlot && rest > 0n ? rest : 0n
  }
  return free
}

type ReadonlySums = Pick<Sums, 'get'>
