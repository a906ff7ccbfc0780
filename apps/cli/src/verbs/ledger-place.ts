import { CliError, ExitCode } from '../terminal/cli-error.ts'

/** A wrong path is no damage: scripts have to tell one from the other. */
export async function expectLedgerIn(dataDir: string): Promise<void> {
  const { holdsLedger } = await import('@bourse/broker/backup')
  if (!holdsLedger(dataDir))
    throw new CliError(ExitCode.notFound, `There is no ledger in ${dataDir}.`, 'Check --data-dir.')
}
