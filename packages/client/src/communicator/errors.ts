import type { ProblemField } from '@bourse/contract'
import type { ErrorCode } from '@bourse/contract/error-codes'

/** The broker refused the call; repeating it will not help. */
export class BrokerRefused extends Error {
  override readonly name = 'BrokerRefused'
  readonly status: number
  /** Absent if the answer has no code of ours; `Unsupported`: this broker has no such call. */
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

/** The broker cannot answer now: overloaded, starting, not the leader, or failing. */
export class BrokerBusy extends Error {
  override readonly name = 'BrokerBusy'
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The address of the leader, if this broker knows it. */
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

/** No answer: refused, reset, no such host, or a timeout, which is then named. */
export class BrokerUnreachable extends Error {
  override readonly name = 'BrokerUnreachable'
  readonly timedOut: TimedOut | undefined
  /** There was no connection, so the call cannot have taken effect. */
  readonly isUnsent: boolean
  /** It closed the connection at once; maybe it does not accept our certificate. */
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
  /** The broker's certificate is not for the address that we used. */
  readonly isWrongAddress: boolean
  /** The broker's certificate is invalid for every client: only its operator can fix that. */
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

/** The answer is not one of a broker. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

/** `close` was called. */
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
