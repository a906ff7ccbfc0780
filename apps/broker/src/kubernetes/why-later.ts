import { type JournalBudget, OVERDRAWN } from '../fair-share/index.ts'

/** Why an object is not looked at now, and when it is again. */
export type Later = Readonly<{ sentence: string; againAfterMs: number }>

export const OVERDRAWN_REASON = 'JournalBudgetSpent'

/** Somebody may raise the limit, or the broker may start anew with another. */
const AGAIN_MAX_MS = 600_000

/** Undefined: the cluster may make the journal grow. */
export function whyLater(
  clusterId: string,
  { waitSeconds }: Pick<JournalBudget, 'waitSeconds'>,
): Later | undefined {
  const seconds = waitSeconds(clusterId)
  if (seconds === undefined) return undefined
  const againAfterMs = Math.min(seconds * 1_000, AGAIN_MAX_MS)
  return { sentence: `${clusterId} ${OVERDRAWN}.`, againAfterMs }
}
