import { createProgram } from '../../apps/cli/src/program.ts'
import { EXIT_CODES_HELP } from '../../apps/cli/src/terminal/cli-error.ts'
import type { Terminal } from '../../apps/cli/src/terminal/terminal.ts'
import { verbs } from '../../apps/cli/src/verbs.ts'
import { page, written } from './table.ts'

type Command = ReturnType<typeof createProgram>

const WIDTH = 100
/** Their flags are on a page of their own. */
const DAEMONS: readonly string[] = ['broker', 'agent']

const silent: Terminal = {
  out() {},
  note() {},
  env: {},
  isColourful: false,
  now: Date.now,
  signal: new AbortController().signal,
}

/** docs/reference/command-line.md: what `--help` says, of every verb. */
export async function commandLinePage(): Promise<string> {
  const sections: string[] = []
  for (const { name, load } of verbs) {
    const { define } = await load()
    const program = createProgram(silent, { name, define })
    const command = program.commands.find((one) => one.name() === name)
    if (command) sections.push(...sectionsOf(command, 'bourse'))
  }
  return page(
    '# Command line',
    written('the help texts of `bourse`'),
    'As [a plug-in](../installation.md#kubectl-bourse) it is `kubectl bourse` instead of `bourse`.',
    fenced(helpOf(createProgram(silent))),
    fenced(EXIT_CODES_HELP),
    ...sections,
  )
}

function sectionsOf(command: Command, above: string): string[] {
  const path = `${above} ${command.name()}`
  const text = DAEMONS.includes(command.name())
    ? `${command.description()}. Its flags: [flags.md](flags.md#bourse-${command.name()}).`
    : fenced(helpOf(command))
  return [`## ${path}`, text, ...command.commands.flatMap((child) => sectionsOf(child, path))]
}

/** As it is printed on a terminal of some width, without what is the same of every verb. */
function helpOf(command: Command): string {
  const lines: string[] = []
  command
    .configureOutput({ writeOut: (text) => lines.push(text), getOutHelpWidth: () => WIDTH })
    .outputHelp()
  return lines.join('').replace(EXIT_CODES_HELP, '').trimEnd()
}

function fenced(text: string): string {
  return ['```text', text, '```'].join('\n')
}
