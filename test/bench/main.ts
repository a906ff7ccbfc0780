/*
 * `make bench`: every figure of docs/benchmarks.md, against its bar.
 *
 *   benchmarks.ts  the list, in the order of the table; each is a file in a folder of its subject
 *   harness/       what a benchmark is, the measured broker, the machine, the report
 *   load/          a process that sends requests as cheaply as it can
 *   rest/floor-server.ts  the floor: an echo server that a figure is compared with
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.ts'
import type { Benchmark, Pace, Stage } from './harness/benchmark.ts'
import { lastWords } from './harness/broker-process.ts'
import { makeBenchCertificates } from './harness/certificates.ts'
import { describeMachine, stayOnTwoCores } from './harness/machine.ts'
import {
  asMarkdown,
  asTable,
  type Circumstances,
  type Judged,
  judge,
  misses,
  type Report,
} from './harness/report.ts'

const USAGE = `usage: node test/bench/main.ts [--markdown] [--quick] [name…]

  Without names all run: ${benchmarks.map(({ name }) => name).join(', ')}.
  --markdown     print the table to paste into the docs
  --quick        short rounds, to try the bench itself; its figures are not worth quoting
  BENCH_SOAK     how long the memory benchmark loads the broker (default 60s, in full 10m)
  BENCH_DIR      a directory on the disk to measure (default the system's temporary one)
  BENCH_PROFILE  a directory for CPU profiles of the broker; the figures then include profiling`

const UNHURRIED: Pace = { rounds: 9, roundMs: 2_500, isQuick: false }
const QUICK: Pace = { rounds: 1, roundMs: 1_000, isQuick: true }

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      markdown: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !benchmarks.some((one) => one.name === name))
  if (values.help || unknown.length > 0) {
    process.stderr.write(`${unknown.map((name) => `There is no ${name}.\n`).join('')}${USAGE}\n`)
    return values.help ? 0 : 2
  }
  stayOnTwoCores()
  const chosen = benchmarks.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const report = await runAll(chosen, values.quick ? QUICK : UNHURRIED)
  process.stdout.write(`${values.markdown ? asMarkdown(report) : asTable(report)}\n`)
  return tellMisses(report)
}

async function runAll(chosen: readonly Benchmark[], pace: Pace): Promise<Report> {
  const workDir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'bourse-bench-'))
  const machine = await describeMachine(workDir)
  const certificates = await makeBenchCertificates()
  const stage = { certificates, workDir, pace }
  const under = { date: new Date().toISOString(), machine, isQuick: pace.isQuick }
  const lines: Judged[] = []
  const details: Record<string, unknown> = {}
  try {
    for (const benchmark of chosen) {
      const result = await runOne(benchmark, stage, under)
      lines.push(...result.lines)
      details[benchmark.name] = result.details
    }
  } finally {
    certificates.dispose()
    rmSync(workDir, { recursive: true, force: true })
  }
  const report = { ...under, lines }
  keep({ ...report, details })
  return report
}

async function runOne(benchmark: Benchmark, stage: Stage, under: Circumstances) {
  const { name, bar } = benchmark
  process.stderr.write(`${name}: ${bar}\n`)
  const { lines, details } = await benchmark.run(stage).catch((cause: unknown) => {
    throw new Error(
      `${name} could not be measured. The broker's last words:\n${lastWords(stage)}`,
      {
        cause,
      },
    )
  })
  return { lines: lines.map((line) => judge(name, line, under)), details }
}

function keep(report: Report & Readonly<{ details: unknown }>): void {
  mkdirSync('bench-results', { recursive: true })
  const path = join('bench-results', `${report.date.replaceAll(':', '-').slice(0, 19)}.json`)
  writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`)
  process.stderr.write(`All rounds are in ${path}.\n`)
}

function tellMisses(report: Report): number {
  const missed = misses(report)
  if (missed.length === 0) return 0
  process.stderr.write(`\n${missed.join('\n')}\n`)
  return 1
}
