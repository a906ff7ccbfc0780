import { spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './statistics.ts'

export type Machine = Readonly<{
  cores: string
  memoryGb: number
  node: string
  kernel: string
  fileSystem: string
  /** One small durable write, the least that a commit can cost. */
  fsyncMs: number
  /** The part of the cores that others used just before the run. */
  othersShare: number
}>

const CORES = 2
const FSYNC_WRITES = 200
const PAGE_BYTES = 4_096
const LISTEN_MS = 1_000
/** Above this share of foreign work, absolute figures say nothing about us. */
const IDLE_SHARE_MAX = 0.1

export async function describeMachine(directory: string): Promise<Machine> {
  const [first] = cpus()
  return {
    cores: `${Math.min(CORES, cpus().length)} of ${cpus().length} × ${first?.model.trim() ?? '?'}`,
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.version,
    kernel: release(),
    fileSystem: fileSystemOf(directory),
    othersShare: await othersShare(),
    fsyncMs: measureFsync(directory),
  }
}

export const isIdle = (machine: Machine) => machine.othersShare <= IDLE_SHARE_MAX

/** Server and load share two cores on any machine; processes started later inherit this. */
export function stayOnTwoCores(): void {
  if (cpus().length <= CORES) return
  const cores = Array.from({ length: CORES }, (_, core) => core).join(',')
  const { status } = spawnSync('taskset', ['-acp', cores, String(process.pid)])
  if (status !== 0)
    throw new Error(
      `This machine has ${cpus().length} cores and the bars are for ${CORES}: install taskset ` +
        '(util-linux), so that the run can be kept on two of them.',
    )
}

export function measureFsync(directory: string): number {
  const file = openSync(join(directory, 'fsync-probe'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const tookMs = Array.from({ length: FSYNC_WRITES }, () => {
    const startedAt = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  return median(tookMs)
}

async function othersShare(): Promise<number> {
  const before = cpuTicks()
  await sleep(LISTEN_MS)
  const after = cpuTicks()
  return (after.busy - before.busy) / Math.max(1, after.all - before.all)
}

function cpuTicks() {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...rest] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + rest.slice(0, 3).reduce((sum, one) => sum + one, 0)
  return { busy, all: busy + idle + waiting }
}

function fileSystemOf(directory: string): string {
  const { stdout } = spawnSync('df', ['--output=fstype', directory], { encoding: 'utf8' })
  return stdout?.trim().split('\n').at(-1) ?? 'unknown'
}
