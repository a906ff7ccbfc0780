import { collector } from '@bourse/daemon/heap'

/**
 * After its start an agent needs a fraction of what listing its cluster took, and allocates so
 * little from then on that V8 would not look for what is over for hours.
 */
export function settleHeap(): void {
  collector({ flavor: 'last-resort', type: 'major', execution: 'async' })()
}
