export { type CostSource, createCostSource } from './cost-source.ts'
export type { Cost } from './prices.ts'
