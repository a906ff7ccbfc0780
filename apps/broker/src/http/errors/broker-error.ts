import { type ErrorCode, errorCodes, type Problem, type ProblemField } from '@bourse/contract'

type Extras = Readonly<{
  fields?: readonly ProblemField[]
  explanation?: Problem['explanation']
  retryAfterSeconds?: number
}>

/** For what came from outside, and may be long. */
export function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
}

/** What a caller did wrong, or cannot have now; `error-reply` turns it into a problem. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError'
  readonly code: ErrorCode
  readonly extras: Extras
  constructor(code: ErrorCode, detail: string = errorCodes[code].title, extras: Extras = {}) {
    // Its stack is never read, and making one takes longer than refusing a message.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.extras = extras
  }
}
