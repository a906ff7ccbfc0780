import type { StorePlace } from '@bourse/broker/backup'
import { Option } from 'commander'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export type PlaceFlags = Readonly<{
  dataDir?: string
  store: string
  kubeconfig?: string
  storeNamespace?: string
}>

/** Scripts have to tell a wrong path from a damaged ledger. */
export async function expectLedgerIn(dataDir: string): Promise<void> {
  const { holdsLedger } = await import('@bourse/broker/backup')
  if (!holdsLedger(dataDir))
    throw new CliError(ExitCode.notFound, `There is no ledger in ${dataDir}.`, 'Check --data-dir.')
}

export const storeOption = (what: string) =>
  new Option('--store <store>', what)
    .choices(['sqlite', 'kubernetes', 'postgres'])
    .default('sqlite')

/** A directory, or a store that several brokers share. */
export function placeOf(flags: PlaceFlags, { env }: Terminal): string | StorePlace {
  const { store, dataDir, kubeconfig, storeNamespace } = flags
  switch (store) {
    case 'kubernetes':
      return {
        kind: store,
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(storeNamespace !== undefined && { namespace: storeNamespace }),
      }
    case 'postgres': {
      const url = env.BOURSE_POSTGRES_URL
      if (url) return { kind: store, url }
      throw new CliError(ExitCode.usage, 'Which database?', 'Set BOURSE_POSTGRES_URL.')
    }
    default:
      if (dataDir !== undefined) return dataDir
      throw new CliError(ExitCode.usage, 'Which directory?', 'Give --data-dir=DIR.')
  }
}

export function nameOf(place: string | StorePlace): string {
  return typeof place === 'string' ? place : `the ${place.kind} store`
}
