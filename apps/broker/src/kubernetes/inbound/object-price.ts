import { type FairShare, refusedSentence, requestTokens } from '../../fair-share/index.ts'

/** How long a cluster has to wait until its object is read, and why. */
export type Delay = Readonly<{ afterMs: number; message: string }>

/** A later look, if one is needed. */
export type Again = Readonly<{ againAfterMs: number }> | undefined

export type ObjectPrice = (clusterId: string, spec: object) => Delay | undefined

/**
 * Takes the price of an object that asks for a change, from the same account as a request by REST;
 * or tells how long its cluster has to wait.
 */
export function createObjectPrice(
  share: Pick<FairShare, 'rate' | 'journal' | 'refused'>,
): ObjectPrice {
  return (clusterId, spec) => {
    const untilWriting = share.journal.waitSeconds(clusterId)
    if (untilWriting !== undefined) return delay(clusterId, 'journal', untilWriting)
    const price = requestTokens({ bodyBytes: JSON.stringify(spec).length })
    const untilPaid = share.rate.take(clusterId, price)
    return untilPaid === undefined ? undefined : delay(clusterId, 'rate', untilPaid)
  }

  function delay(clusterId: string, why: 'journal' | 'rate', waitSeconds: number): Delay {
    share.refused[why] += 1
    return { afterMs: waitSeconds * 1_000, message: refusedSentence(clusterId, why) }
  }
}
