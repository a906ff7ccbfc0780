/** The directory cannot serve as a store as it is; nothing in it is damaged. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
  readonly advice: string
  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options)
    this.advice = advice
  }
}
