import { envNameOf, type Flag, type FlagTable, isSwitch } from './flag-table.ts'

/** The help text of a table: grouped, aligned, each with its variable, default and example. */
export function describeFlags(table: FlagTable): string {
  const flags = Object.values(table)
  const groups = [...new Set(flags.map((flag) => flag.group))]
  return groups
    .map((group) => {
      const lines = flags.filter((flag) => flag.group === group).map(describeFlag)
      return `${group}:\n${lines.join('\n')}`
    })
    .join('\n\n')
}

function describeFlag(flag: Flag): string {
  const value = isSwitch(flag) ? '' : `=${flag.kind.placeholder}`
  const shown = flag.default === undefined || flag.default === 'false' ? '' : ` (${flag.default})`
  const example = flag.example ? `, e.g. --${flag.name}=${flag.example}` : ''
  return `  --${flag.name}${value}\n        ${flag.help}${shown}${example} [${envNameOf(flag)}]`
}
