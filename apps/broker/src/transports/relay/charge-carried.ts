import {
  CARRIED_TOKENS,
  type FairShare,
  LARGE_BODY_BYTES,
  requestTokens,
} from '../../fair-share/index.ts'
import { OVERLOAD_RETRY_SECONDS, rateLimited } from '../../http/callers/charge-requests.ts'
import type { BrokerError } from '../../http/errors/broker-error.ts'

export type CarriedShare = Pick<FairShare, 'rate' | 'loads' | 'refusals' | 'refused'>
export type Message = ReturnType<ReturnType<typeof chargeCarried>['message']>

/**
 * What comes by a carrier before the API knows of it: bytes that may never become a call, and
 * calls that the API never sees. Both are their caller's, as if they had come by REST.
 */
export function chargeCarried({ rate, loads, refusals, refused }: CarriedShare) {
  return { take, spend, lacks, leftOut, message, refuse: refusals.refuse }

  /** Why the caller has to come later; undefined: the price is paid. */
  function take(account: string, tokens = CARRIED_TOKENS): BrokerError | undefined {
    const waitSeconds = rate.take(account, tokens)
    if (waitSeconds === undefined) return undefined
    refused.rate += 1
    return rateLimited(account, 'rate', waitSeconds)
  }

  /** Whether a call of so many bytes would be refused now. */
  function lacks(account: string, bytes: number): boolean {
    return rate.lacks(account, CARRIED_TOKENS + requestTokens({ bodyBytes: bytes }) - 1)
  }

  /** Why a call was not received as a whole. */
  function leftOut(account: string): BrokerError {
    spend(account)
    refused.rate += 1
    return rateLimited(account, 'rate', OVERLOAD_RETRY_SECONDS)
  }

  /** For what came and was not even refused in words. */
  function spend(account: string): void {
    rate.spend(account, CARRIED_TOKENS)
  }

  /** Counts a message while it is received, until the API has it. */
  function message(account: string) {
    const load = loads.of(account)
    let held = 0
    return { hold, letGo }

    /** Why so many bytes cannot be taken; undefined: they are paid for, and counted. */
    function hold(bytes: number): BrokerError | undefined {
      const price = requestTokens({ bodyBytes: bytes }) - 1
      const why = price > 0 ? take(account, price) : undefined
      if (why) return why
      const isSmall = held + bytes <= LARGE_BODY_BYTES
      if (loads.isBodyTooMuch(load, bytes, isSmall)) {
        refused.body += 1
        return rateLimited(account, 'body', OVERLOAD_RETRY_SECONDS)
      }
      held += bytes
      loads.hold(load, bytes)
      return undefined
    }

    function letGo(): void {
      loads.hold(load, -held)
      held = 0
    }
  }
}
