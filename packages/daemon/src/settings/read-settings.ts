import { existsSync } from 'node:fs'
import { readConfigFile } from './config-file.ts'
import {
  type Flag,
  type FlagInput,
  type FlagReading,
  type FlagTable,
  readFlags,
} from './flag-table.ts'

/** A table with a flag `--config` that names a file of further settings. */
export type ConfiguredTable = FlagTable & Readonly<{ config: Flag<string> }>

/** Reads flags, environment and the config file that one of them names. */
export async function readSettings<Table extends ConfiguredTable>(
  table: Table,
  input: Omit<FlagInput, 'file'>,
): Promise<FlagReading<Table>> {
  const path = configPath(table, input)
  if (path === undefined) return readFlags(table, input)
  if (!existsSync(path))
    return { kind: 'bad', problems: [`--config names ${path}, which does not exist.`] }
  const file = await readConfigFile(path)
  return file.kind === 'bad' ? file : readFlags(table, { ...input, file })
}

/** Read first, since the file may set other flags. */
function configPath(
  { config }: ConfiguredTable,
  { argv, env }: Omit<FlagInput, 'file'>,
): string | undefined {
  const read = readFlags({ config }, { argv: argv.filter((_, at) => isConfig(argv, at)), env })
  return read.kind === 'values' ? read.values.config : undefined
}

function isConfig(argv: readonly string[], at: number): boolean {
  const isName = (argument = '') => /^--?config$/.test(argument)
  return /^--?config(=|$)/.test(argv[at] ?? '') || isName(argv[at - 1])
}
