import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a directory and its missing parents. Node's recursive mkdir never returns where nothing
 * can be created, such as below /proc; this one throws.
 */
export function makeDirectory(path: string, mode = 0o700): void {
  const whole = resolve(path)
  if (statSync(whole, { throwIfNoEntry: false })) return
  makeDirectory(dirname(whole), mode)
  try {
    mkdirSync(whole, { mode })
  } catch (error) {
    // Another process created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
