import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a directory and all above it, where they are missing. Node's own recursive mkdir never
 * returns where nothing can be made, as below /proc: this one throws what mkdir says.
 */
export function makeDirectory(path: string, mode = 0o700): void {
  const whole = resolve(path)
  if (statSync(whole, { throwIfNoEntry: false })) return
  makeDirectory(dirname(whole), mode)
  try {
    mkdirSync(whole, { mode })
  } catch (error) {
    // Somebody was faster: then it is there, which is all that was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
