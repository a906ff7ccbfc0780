/** Which of our timeouts expired. */
export type TimedOut = 'connect' | 'headers' | 'body' | 'total'

export type FieldCause = Readonly<{ field?: string; reason?: string; message?: string }>

/** Every failure of a call to the API server. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  /** The HTTP status, or 0 where there was no answer. */
  readonly status: number
  /** Of the API server's Status; without an answer ours, such as `Unreachable` or `TimedOut`. */
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  /** Whether the request may have taken effect despite this error. */
  readonly mayHaveHappened: boolean
  readonly timedOut: TimedOut | undefined
  /** Field paths and sentences of an Invalid answer. */
  readonly causes: readonly FieldCause[]

  constructor(message: string, details: Partial<KubeError> & { readonly reason: string }) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.status = details.status ?? 0
    this.reason = details.reason
    this.retryAfterSeconds = details.retryAfterSeconds
    this.mayHaveHappened = details.mayHaveHappened ?? false
    this.timedOut = details.timedOut
    this.causes = details.causes ?? []
  }
}

function hasStatus(thrown: unknown, status: number): thrown is KubeError {
  return thrown instanceof KubeError && thrown.status === status
}

/** The answer of a call, or undefined if it failed in a way that the caller expects. */
export function ignoring<T>(
  isExpected: (thrown: unknown) => boolean,
  call: Promise<T>,
): Promise<T | undefined> {
  return call.catch((thrown) => {
    if (!isExpected(thrown)) throw thrown
    return undefined
  })
}

export function isNotFound(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 404)
}

export function isAlreadyExists(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 409) && (thrown as KubeError).reason === 'AlreadyExists'
}

/** Another writer changed the object meanwhile: read again, then try again. */
export function isConflict(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 409) && !isAlreadyExists(thrown)
}

/** The server no longer knows that version: list again. */
export function isGone(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 410)
}

/** Our identity is accepted, but lacks the right to do this. */
export function isForbidden(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 403)
}

/** Our credentials are not accepted. */
export function isUnauthorized(thrown: unknown): thrown is KubeError {
  return hasStatus(thrown, 401)
}

/** Goes away by itself: overloaded, restarting, unreachable, too slow. */
export function isTransient(thrown: unknown): thrown is KubeError {
  if (!(thrown instanceof KubeError)) return false
  if (thrown.reason === 'Closed' || thrown.reason === 'CertificateRefused') return false
  return thrown.status === 0 || thrown.status === 429 || thrown.status >= 500
}
