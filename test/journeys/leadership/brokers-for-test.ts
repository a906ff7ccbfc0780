import { type OwnFlags, type Several, startBrokers } from '@bourse/testkit/leadership'
import { onTestFinished } from 'vitest'

/** Brokers of one ledger, for the length of one test. */
export async function startBrokersForTest(
  count: number,
  flags: readonly string[],
  own?: OwnFlags,
): Promise<Several> {
  const several = await startBrokers(count, flags, own)
  onTestFinished(several.stop)
  return several
}
