import type { ProblemField } from '@bourse/contract'
import type { ErrorCode } from '@bourse/contract/error-codes'

/** The broker refused the call; repeating it will not help. */
export class BrokerRefused extends Error {
  override readonly name = 'BrokerRefused'
  readonly status: number
  /** Absent if the answer has no code of ours; `Unsupported`: this broker has no such call. */
  readonly code: ErrorCode | 'Unsupported' | undefined
  readonly fields: readonly ProblemField[]
  constructor(message: string, said: Partial<BrokerRefused> & { readonly status: number }) {
    super(message)
    this.status = said.status
    this.code = said.code
    this.fields = said.fields ?? []
  }
}

/** The Go original knows only some of our calls. */
export function isUnsupported(thrown: unknown): boolean {
  return thrown instanceof BrokerRefused && thrown.code === 'Unsupported'
}

/** The broker cannot answer now: overloaded, starting, not the leader, or failing. */
export class BrokerBusy extends Error {
  override readonly name = 'BrokerBusy'
  readonly status: number
  readonly retryAfterMs: number | undefined
  /** The address of the leader, if this broker knows it. */
  readonly leader: string | undefined
  constructor(message: string, status: number, said: Partial<BrokerBusy> = {}) {
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
  constructor(message: string, options: Partial<BrokerUnreachable> = {}) {
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
  constructor(message: string, options: Partial<IdentityRefused> = {}) {
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
  constructor(message = 'This client has been closed.', options?: ErrorOptions) {
    super(message, options)
  }
}

const REFUSALS = [BrokerRefused, IdentityRefused, BadAnswer, ClientClosed]
const FAULTS = [...REFUSALS, BrokerBusy, BrokerUnreachable]

/** Every call of a client rejects with one of these, or with the reason of its signal. */
export type BrokerFault = InstanceType<(typeof FAULTS)[number]>

export function isBrokerFault(thrown: unknown): thrown is BrokerFault {
  return FAULTS.some((fault) => thrown instanceof fault)
}

export function isUnsent(fault: BrokerFault): boolean {
  return fault instanceof BrokerUnreachable && fault.isUnsent
}
