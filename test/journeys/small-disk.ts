import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, startChild } from '@bourse/testkit'

/** A file system of a few megabytes that can be filled without harming the machine's own. */
export type SmallDisk = {
  dir: string
  /** Put before a command, lets it see the disk. */
  prefix: readonly string[]
  /** Takes all the room there is. */
  fill(): void
  makeRoom(): void
  makeReadOnly(): Promise<void>
  dispose(): Promise<void>
}

const BLOCK = Buffer.alloc(4_096)

/**
 * A tmpfs in a mount namespace of its own, which needs no privileges: a user namespace gives them.
 * It lives as long as the process that holds the namespace, so a broker can restart on it.
 */
export async function createSmallDisk(megabytes: number): Promise<SmallDisk> {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-small-disk-'))
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && echo mounted && exec sleep 3600`
  const holder = startChild(['unshare', '-Urm', 'sh', '-c', script, 'holder', dir])
  await eventually('A small disk is mounted', () => {
    if (holder.exit()) throw new Error(`No small disk here: ${holder.output()}`)
    return holder.output().includes('mounted') || undefined
  })
  const enter = ['nsenter', `--target=${holder.pid}`, '--user', '--mount', '--preserve-credentials']
  // From outside, the namespace is reached through the process that holds it.
  const filler = join(`/proc/${holder.pid}/root`, dir, 'filler')

  return {
    dir,
    prefix: enter,
    fill: () => fillUp(filler),
    makeRoom: () => rmSync(filler, { force: true }),
    async makeReadOnly() {
      await startChild([...enter, 'mount', '-o', 'remount,ro', dir]).exited
    },
    async dispose() {
      holder.kill('SIGKILL')
      await holder.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function fillUp(path: string): void {
  try {
    for (;;) writeFileSync(path, BLOCK, { flag: 'a' })
  } catch (error) {
    // Full is what was wanted; anything else is a fault of the test.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
