import { constants } from 'node:os'

/** An attack in full (`make soak-hostile`), or the sample of it that `make test` runs. */
export function attackSize<T>(sizes: Readonly<{ sample: T; full: T }>): T {
  return process.env.HOSTILE === 'full' ? sizes.full : sizes.sample
}

/**
 * An attacker has a machine of its own: here it gets what the others leave. Beside other work that
 * would be nothing, so that a sample gets a little more.
 */
export const ATTACKER_PRIORITY = attackSize({
  sample: constants.priority.PRIORITY_BELOW_NORMAL,
  full: constants.priority.PRIORITY_LOW,
})
