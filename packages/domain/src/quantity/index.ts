/*
 * Exact amounts: Kubernetes quantities, resources by name, money and durations.
 *
 *   resources.ts        amounts by resource name, and their arithmetic: begin here
 *   quantity.ts         `500m`, `4Gi`: text to whole numbers and back, never floating point
 *   parse-resources.ts  a caller's table of resources: names, aliases, rounding
 *   print-resources.ts  resources as text, for programs and for people
 *   money.ts, rates.ts, duration.ts, resource-name.ts
 */
export * from './duration.ts'
export * from './money.ts'
export * from './parse-resources.ts'
export * from './print-resources.ts'
export * from './quantity.ts'
export * from './rates.ts'
export * from './resource-name.ts'
export * from './resources.ts'
