import { readdirSync, readFileSync } from 'node:fs'

/** The processes whose command line names a directory: a control plane's own, even if orphaned. */
export function processesOf(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(dir))
    .map(Number)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It ended while we looked.
  }
}
