import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '../processes/run-program.ts'
import { createScratchDir } from '../processes/scratch-dir.ts'
import { toolsDir } from './kubernetes-tools.ts'

type Preparation = Readonly<{
  /** Files of definitions, or directories of them. */
  kinds: readonly string[]
  /** Starts a control plane on the directory, gives it the kinds, and stops it politely. */
  prepare(dataDir: string, kinds: readonly string[]): Promise<void>
}>

/**
 * Fills a directory with the data of an etcd whose API server has made its first objects and knows
 * these kinds. That is half of the time of a start, so it is done once for each version and set of
 * kinds, and kept beside the programs.
 */
export async function copyPreparedData(given: Preparation, dataDir: string): Promise<void> {
  // Data belongs to the version that wrote it.
  const tools = toolsDir()
  const kept = join(tools, '..', '..', 'clusters', keyOf(tools, given.kinds))
  if (!existsSync(kept)) await makePreparedData(given, kept)
  await copySparsely(kept, dataDir)
}

async function makePreparedData({ kinds, prepare }: Preparation, kept: string): Promise<void> {
  mkdirSync(dirname(kept), { recursive: true })
  const making = createScratchDir('prepared-data')
  const written = join(making.dir, 'etcd')
  const copied = `${kept}.${randomUUID()}`
  try {
    await prepare(written, kinds)
    await copySparsely(written, copied)
    // Under its name only when it is whole.
    renameSync(copied, kept)
  } catch (failure) {
    rmSync(copied, { recursive: true, force: true })
    // Another worker may have made it meanwhile.
    if (!existsSync(kept)) throw failure
  } finally {
    making.remove()
  }
}

/** etcd reserves much more than it uses. */
const copySparsely = (from: string, to: string) =>
  runProgram(['cp', '--recursive', '--sparse=always', from, to])

function keyOf(tools: string, kinds: readonly string[]): string {
  const hash = createHash('sha256').update(tools)
  for (const path of kinds) for (const text of textsAt(path)) hash.update(text)
  return hash.digest('hex').slice(0, 16)
}

function textsAt(path: string): string[] {
  const files = path.endsWith('.yaml') ? [path] : readdirSync(path).map((name) => join(path, name))
  return files.map((file) => readFileSync(file, 'utf8'))
}
