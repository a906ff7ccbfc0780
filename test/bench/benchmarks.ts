import type { Benchmark } from './benchmark.ts'
import { decision } from './decision.ts'

/** In the order of the table. */
export const benchmarks: readonly Benchmark[] = [decision]
