import type { LedgerEvent } from '../state/event.ts'
import type { Books } from '../state/state.ts'

/** One command being decided: what it may look at, and the one way to make something happen. */
export type Step = Readonly<{
  books: Books
  now: number
  index: number
  term: string | undefined
  /** Applies at once, so that whatever is decided next already sees it. */
  emit(event: LedgerEvent): void
}>
