export type { Expected, Opened, RefusalReason } from './opened.ts'
export { createSeals, type Message, type Seals } from './seals.ts'
