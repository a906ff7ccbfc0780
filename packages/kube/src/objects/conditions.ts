/** What an object says about itself, one claim a type, as the API conventions have it. */
export type Condition = Readonly<{
  type: string
  status: 'True' | 'False' | 'Unknown'
  observedGeneration?: number | undefined
  lastTransitionTime?: string | undefined
  reason?: string | undefined
  message?: string | undefined
}>

type Conditions = readonly Condition[] | undefined

export function conditionOf(conditions: Conditions, type: string): Condition | undefined {
  return conditions?.find((one) => one.type === type)
}

export function isTrue(conditions: Conditions, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True'
}

/** What is said now; as long as the status is the same, so is the moment since when. */
export function carriedOver<T extends Omit<Condition, 'lastTransitionTime'>>(
  said: T,
  before: Conditions,
  now: string,
): T & { lastTransitionTime: string } {
  const earlier = conditionOf(before, said.type)
  const since = earlier?.status === said.status ? earlier.lastTransitionTime : undefined
  return { ...said, lastTransitionTime: since ?? now }
}
