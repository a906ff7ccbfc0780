import type { BenchCertificates } from './certificates.ts'

export type Unit = '/s' | 'B/s' | 'ms' | 's' | 'MB' | '×' | '%' | 'reservations' | 'writes'

/** What a figure is held to. `said` is the bar as the docs write it. */
type Bar = Readonly<{
  kind: 'atLeast' | 'atMost'
  limit: number
  said: string
  /** An absolute figure: it means nothing while other work runs on the machine. */
  needsIdleMachine?: true
}>

/** One figure of the table. */
export type Line = Readonly<{
  what: string
  measured: number
  unit: Unit
  /** What the echo server, or the API server by itself, reached in the same run. */
  floor?: number
  /** Absent: told for the record, not judged. */
  bar?: Bar
}>

type Result = Readonly<{
  lines: readonly Line[]
  /** Raw rounds and counts, for the JSON file only. */
  details?: unknown
}>

/** How long to look. Quick is for trying the bench itself: its figures are not worth quoting. */
export type Pace = Readonly<{ rounds: number; roundMs: number; isQuick: boolean }>

export type Stage = Readonly<{
  certificates: BenchCertificates
  /** On the disk that is measured; removed after the run. */
  workDir: string
  pace: Pace
}>

export type Benchmark = Readonly<{
  name: string
  bar: string
  run(stage: Stage): Promise<Result>
}>
