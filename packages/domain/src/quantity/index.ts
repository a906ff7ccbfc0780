export type { Money } from './money.ts'
export type { Resources } from './resources.ts'
