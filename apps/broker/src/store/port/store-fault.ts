import type { Trouble } from '../sqlite/disk/sqlite-error.ts'

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
