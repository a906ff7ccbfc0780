import type { ProblemField } from '@bourse/contract'
import type { ErrorCode } from '@bourse/contract/error-codes'

/** The broker understood and said no; asking again will not change its mind. */
export class BrokerRefused extends Error {
  override readonly name = 'BrokerRefused'
  readonly status: number
  /** Absent when the answer was not one of ours; `Unsupported`: this broker has no such call. */
  readonly code: ErrorCode | 'Unsupported' | undefined
  readonly fields: readonly ProblemField[]
  constructor(
    message: string,
    said: {
      status: number
      code?: ErrorCode | 'Unsupported' | undefined
      fields?: readonly ProblemField[] | undefined
    },
  ) {
    super(message)
    this.status = said.status
    this.code = said.code
    this.fields = said.fields ?? []
  }
}

/** It is there and cannot answer now: overloaded, starting, not the leader, or failing. */
export class BrokerBusy extends Error {
  override readonly name = 'BrokerBusy'
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** Where the broker that leads instead is reached, if this one knows. */
  readonly leader: string | undefined
  constructor(
    message: string,
    status: number,
    said: { retryAfterMs?: number; leader?: string } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterMs = said.retryAfterMs
    this.leader = said.leader
  }
}

export type TimedOut = 'connect' | 'headers' | 'body'

/** No answer: refused, reset, no such host, or a time-out, which is then named. */
export class BrokerUnreachable extends Error {
  override readonly name = 'BrokerUnreachable'
  readonly timedOut: TimedOut | undefined
  /** There was no connection, so nothing can have been carried out. */
  readonly isUnsent: boolean
  /** It hung up without a word, which may mean that it does not accept our certificate. */
  readonly isMaybeIdentity: boolean
  constructor(
    message: string,
    options: Readonly<{
      cause?: unknown
      timedOut?: TimedOut
      isUnsent?: boolean
      isMaybeIdentity?: boolean
    }> = {},
  ) {
    super(message, { cause: options.cause })
    this.timedOut = options.timedOut
    this.isUnsent = options.isUnsent ?? false
    this.isMaybeIdentity = options.isMaybeIdentity ?? false
  }
}

/** One side does not accept the other's certificate, or ours cannot be read. */
export class IdentityRefused extends Error {
  override readonly name = 'IdentityRefused'
  /** The broker's certificate may be good, but is not for the address that we asked at. */
  readonly isWrongAddress: boolean
  /** The broker's certificate is no good to anybody: only its operator can mend that. */
  readonly isForOperator: boolean
  constructor(
    message: string,
    options: { cause?: unknown; isWrongAddress?: boolean; isForOperator?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.isWrongAddress = options.isWrongAddress ?? false
    this.isForOperator = options.isForOperator ?? false
  }
}

/** Something answered, but not what a broker says. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

/** `close` was called: nothing more will come of this client. */
export class ClientClosed extends Error {
  override readonly name = 'ClientClosed'
}

export type BrokerFault =
  | BrokerRefused
  | BrokerBusy
  | BrokerUnreachable
  | IdentityRefused
  | BadAnswer
  | ClientClosed

export function isBrokerFault(thrown: unknown): thrown is BrokerFault {
  return (
    thrown instanceof BrokerRefused ||
    thrown instanceof BrokerBusy ||
    thrown instanceof BrokerUnreachable ||
    thrown instanceof IdentityRefused ||
    thrown instanceof BadAnswer ||
    thrown instanceof ClientClosed
  )
}

export function isUnsent(fault: BrokerFault): boolean {
  return fault instanceof BrokerUnreachable && fault.isUnsent
}
