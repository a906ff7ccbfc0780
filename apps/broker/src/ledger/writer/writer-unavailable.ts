/** Nothing was decided, and nothing is wrong with what was asked: the same may be asked again. */
export class WriterUnavailable extends Error {
  override readonly name = 'WriterUnavailable'
  readonly retryAfterSeconds: number
  constructor(message: string, retryAfterSeconds = 1) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
