import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareBroker, type TestBroker } from '@bourse/testkit'
import type { Stage } from './benchmark.ts'

export const BUNDLE = new URL('../../../dist/bourse.js', import.meta.url).pathname

type Options = Readonly<{ dataDir: string; flags?: readonly string[] | undefined }>

/**
 * The real broker with its defaults, made but not launched. Its log goes to a file: read by us, it
 * would cost the two cores more than it costs a broker.
 */
export function prepareMeasured(
  { certificates, workDir }: Stage,
  { dataDir, flags = [] }: Options,
): Promise<TestBroker> {
  return prepareBroker({
    certificates: certificates.authority,
    dataDir,
    flags,
    prefix: ['/bin/sh', '-c', 'exec "$@" >>"$0" 2>&1', logIn(workDir)],
    // What is shipped is the bundle, so that is what is measured.
    env: { BOURSE_MAIN: BUNDLE, ...profiling() },
  })
}

export async function startMeasured(
  stage: Stage,
  options: Options,
  readyWithinMs?: number,
): Promise<TestBroker> {
  const broker = await prepareMeasured(stage, options)
  broker.launch()
  await broker.ready(readyWithinMs)
  return broker
}

/** A profile is written when the process ends by itself, so it is asked to. */
export async function end(broker: TestBroker): Promise<void> {
  if (process.env.BENCH_PROFILE) await broker.stop()
  await broker.dispose()
}

export function profiling(): Record<string, string> {
  const directory = process.env.BENCH_PROFILE
  return directory ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}` } : {}
}

/** What it logged last, for when it could not be measured. */
export function lastWords({ workDir }: Stage): string {
  const path = logIn(workDir)
  return existsSync(path) ? readFileSync(path, 'utf8').slice(-LAST_WORDS_LENGTH) : 'none'
}

const LAST_WORDS_LENGTH = 2_000
const logIn = (workDir: string) => join(workDir, 'broker.log')

export const portOf = (broker: TestBroker): number => Number(new URL(broker.url).port)
