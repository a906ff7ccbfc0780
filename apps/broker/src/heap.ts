import { setFlagsFromString } from 'node:v8'

/**
 * Filling the books wants a heap that grows in large steps; a broker at work wants one that stays
 * small: by V8's own measure it takes twice the memory for a sixth more speed.
 */
export function settleHeap(): void {
  setFlagsFromString('--heap-growing-percent=20')
}
