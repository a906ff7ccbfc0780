export type { ParsedDuration } from './duration.ts'
export { formatDuration, parseDuration } from './duration.ts'
export type { Money, ParsedMoney } from './money.ts'
export { formatMoney, parseMoney } from './money.ts'
export type { ParsedResources, ResourceProblem, ResourcesKind } from './parse-resources.ts'
export { parseResources } from './parse-resources.ts'
export { describeResources, formatAmount, printResources, spokenName } from './print-resources.ts'
export type { ParsedQuantity, Unit } from './quantity.ts'
export { formatQuantity, parseQuantity } from './quantity.ts'
export { aliasOf, canonicalName, isGpu, nameProblem, unitOf } from './resource-name.ts'
export type { Resources } from './resources.ts'
export {
  add,
  amountOf,
  clampZero,
  equal,
  fits,
  isZero,
  subtract,
  sum,
  withoutZeros,
} from './resources.ts'
export { roundedAmount } from './rounded-amount.ts'
