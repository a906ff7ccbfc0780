/**
 * What a failed call means.
 *   refused   nothing was changed; the same call may succeed later (disk full, busy)
 *   damaged   the file contradicts itself
 *   unusable  the directory or file cannot be written at all
 *   untrusted a write or flush failed half-way: what the disk has is unknown until a restart
 *   bug       anything else
 */
export type Trouble = 'refused' | 'damaged' | 'unusable' | 'untrusted' | 'bug'

type Fault = Readonly<{ message: string; trouble: Trouble }>

/** The store could not do what was asked. `refused`: it may succeed later. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  readonly trouble: Trouble
  constructor({ message, trouble }: Fault) {
    super(message)
    this.trouble = trouble
  }
}

/** The directory cannot serve as a store as it is; nothing in it is damaged. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
  readonly advice: string
  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options)
    this.advice = advice
  }
}
