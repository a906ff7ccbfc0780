import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'async'; flavor: 'last-resort' }) => unknown

/**
 * After its start an agent needs a fraction of what listing its cluster took, and allocates so
 * little from then on that V8 would not look for what is over for hours.
 */
export function settleHeap(): void {
  setFlagsFromString('--expose-gc')
  // It is there in contexts that are made after the flag was set.
  const collect = runInNewContext('gc') as Collect
  collect({ type: 'major', execution: 'async', flavor: 'last-resort' })
}
