/** Nothing was decided, and the command is valid: the caller may send it again. */
export class WriterUnavailable extends Error {
  override readonly name = 'WriterUnavailable'
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
