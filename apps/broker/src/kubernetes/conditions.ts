import type { Condition } from '@bourse/contract/kinds'

type Conditions = readonly Condition[] | undefined

export function conditionOf(conditions: Conditions, type: string): Condition | undefined {
  return conditions?.find((one) => one.type === type)
}

export function isTrue(conditions: Conditions, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}

/** What is said now; as long as the status is the same, so is the moment since when. */
export function carriedOver(
  said: Omit<Condition, 'lastTransitionTime'>,
  before: Conditions,
  now: string,
): Condition {
  const earlier = conditionOf(before, said.type)
  const since = earlier?.status === said.status ? earlier.lastTransitionTime : undefined
  return { ...said, lastTransitionTime: since ?? now }
}
