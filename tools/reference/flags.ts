import { agentFlags } from '../../apps/agent/src/config/index.ts'
import { brokerFlags } from '../../apps/broker/src/config/index.ts'
import { envNameOf, type Flag, type FlagTable } from '../../packages/daemon/src/settings/index.ts'
import { code, page, table, written } from './table.ts'

const INTRODUCTION = `Every flag is also an environment variable and a key of the config file (\`--config\`), which
is named as the flag without its dashes; the charts put \`config\` of their [values](chart-values.md) there. A flag
wins over the variable, the variable over the file. A flag without a value in the second column is a switch.`

/** docs/reference/flags.md: what broker and agent can be told. */
export function flagsPage(): string {
  return page(
    '# Flags of broker and agent',
    written('`broker-flags.ts` and `agent-flags.ts`'),
    INTRODUCTION,
    ...daemon('bourse broker', brokerFlags),
    ...daemon('bourse agent', agentFlags),
  )
}

function daemon(title: string, flags: FlagTable): string[] {
  const all = Object.values(flags)
  const groups = [...new Set(all.map(({ group }) => group))]
  return [
    `## ${title}`,
    ...groups.flatMap((group) => [
      `### ${group}`,
      table(
        ['flag', 'value', 'default', 'what it does', 'variable'],
        all.filter((flag) => flag.group === group).map(row),
      ),
    ]),
  ]
}

function row(flag: Flag): string[] {
  const example = flag.example === undefined ? '' : `; for example ${code(flag.example)}`
  return [
    code(`--${flag.name}`),
    code(flag.kind.placeholder),
    code(flag.default ?? ''),
    `${flag.help}${example}`,
    code(envNameOf(flag)),
  ]
}
