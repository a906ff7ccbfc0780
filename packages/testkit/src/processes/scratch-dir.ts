import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type ScratchDir = Readonly<{ dir: string; remove(): void }>

/**
 * A directory that does not outlive the tests, even if they crash: a shell waits on a pipe that
 * closes when we die. It gives the processes that use the directory a second to be killed first.
 */
export function createScratchDir(name: string): ScratchDir {
  const dir = mkdtempSync(join(tmpdir(), `bourse-${name}-`))
  const script = 'read -r _; sleep 1; rm -rf -- "$1"'
  const sweeper = spawn('/bin/sh', ['-c', script, 'sweeper', dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  sweeper.unref()
  return {
    dir,
    remove() {
      sweeper.kill('SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
