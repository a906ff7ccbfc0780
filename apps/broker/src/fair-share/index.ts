/**
 * Keeps one caller from taking the capacity of all. Begin with `fair-share.ts`, which makes the
 * parts: a rate for each caller (`rate-limit.ts`, in tokens of `price.ts`), what it has under way
 * (`caller-loads.ts`), turns for work of milliseconds (`heavy-line.ts`), refusals that are told
 * slowly (`held-refusals.ts`), and bytes of the journal a day (`journal-budget.ts`).
 */
export type { CallerLoad } from './caller-loads.ts'
export * from './fair-share.ts'
export type { Timed } from './heavy-line.ts'
export * from './journal-budget.ts'
export * from './price.ts'
export * from './rate-limit.ts'
