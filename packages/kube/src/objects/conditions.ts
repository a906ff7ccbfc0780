/** One condition of a status, by the Kubernetes API conventions; a type appears at most once. */
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

/** Sets lastTransitionTime: kept from before while the status is the same, else now. */
export function carriedOver<T extends Omit<Condition, 'lastTransitionTime'>>(
  said: T,
  before: Conditions,
  now: string,
): T & { lastTransitionTime: string } {
  const earlier = conditionOf(before, said.type)
  const since = earlier?.status === said.status ? earlier.lastTransitionTime : undefined
  return { ...said, lastTransitionTime: since ?? now }
}
