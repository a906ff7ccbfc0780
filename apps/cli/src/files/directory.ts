import { accessSync, constants, renameSync, statSync, writeFileSync } from 'node:fs'
import { makeDirectory } from '@bourse/daemon/make-directory'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

const ELSEWHERE = 'Choose another directory.'

/** Creates the directory if it is missing; an error says why nothing can be written there. */
export function prepareDirectory(dir: string, mode = 0o777): void {
  try {
    makeDirectory(dir, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(dir, error)
    // Its parents exist by now: the file system itself takes no directory here.
    throw new CliError(ExitCode.fault, `${dir} cannot be created.`, ELSEWHERE)
  }
  checkDirectory(dir)
}

/** The directory must exist and take new files. */
export function checkDirectory(dir: string): void {
  try {
    if (!statSync(dir).isDirectory()) throw notADirectory(dir)
    accessSync(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusable(dir, error)
  }
}

const notADirectory = (dir: string) =>
  new CliError(ExitCode.fault, `${dir} is not a directory, or is below a file.`, ELSEWHERE)

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

/** By renaming: a reader, such as a broker that watches the directory, never sees half a file. */
export function replaceFile(path: string, text: string, mode = 0o644): void {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
