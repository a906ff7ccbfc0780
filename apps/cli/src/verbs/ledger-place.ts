import { existsSync, readdirSync, statSync } from 'node:fs'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

/** A wrong path is no damage: scripts have to tell one from the other. */
export function expectLedgerIn(dataDir: string): void {
  if (isMissing(dataDir))
    throw new CliError(ExitCode.notFound, `There is no ledger in ${dataDir}.`, 'Check --data-dir.')
}

function isMissing(dir: string): boolean {
  return !existsSync(dir) || (statSync(dir).isDirectory() && readdirSync(dir).length === 0)
}
