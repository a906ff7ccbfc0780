import type { Backoff, Patience } from '../patience.ts'

export type WorkQueueOptions = Readonly<{
  /** One key's turn. The answer may ask for another turn later; throwing asks for it with backoff. */
  work(key: string, signal: AbortSignal): Promise<Again | undefined>
  onTrouble?(error: Error, key: string, pauseMs: number): void
  workers?: number
  /** Distinct keys, waiting or due later. */
  keysMax?: number
  backoff?: Backoff
  patience?: Patience
}>

export type Again = Readonly<{ againAfterMs?: number | undefined }>

export type WorkQueue = {
  /** False: full, and the key was not taken. A key that waits already waits once. */
  add(key: string): boolean
  addAfter(key: string, delayMs: number): boolean
  /** Keys waiting, due later or at work. */
  size(): number
  /** Waits for the turns under way; nothing new begins. */
  stop(): Promise<void>
}
