import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

const ELSEWHERE = 'Choose another directory.'

/** Makes it where it is missing, and says in one sentence why nothing can be put there. */
export function makeDirectory(dir: string, mode = 0o777): void {
  try {
    makeMissing(resolve(dir), mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(dir, error)
    // All above it is there by now: it is the file system that takes none.
    throw new CliError(ExitCode.fault, `${dir} cannot be made there.`, ELSEWHERE)
  }
  checkDirectory(dir)
}

/** One that has to be there, and takes new files. */
export function checkDirectory(dir: string): void {
  try {
    if (!statSync(dir).isDirectory()) throw notADirectory(dir)
    accessSync(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(dir, error)
  }
}

/** Node's own recursive mkdir never returns where nothing can be made, as below /proc. */
function makeMissing(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })) return
  makeMissing(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Somebody was faster: then it is there, which is all that was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const notADirectory = (dir: string) =>
  new CliError(ExitCode.fault, `${dir} is no directory, or lies below a file.`, ELSEWHERE)

function unusable(dir: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOTDIR':
      return notADirectory(dir)
    case 'ENOENT':
      return new CliError(ExitCode.fault, `There is no directory ${dir}.`, ELSEWHERE)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new CliError(ExitCode.fault, `${dir} cannot be written (${code}).`, ELSEWHERE)
    default:
      return error
  }
}
