import { describeFlags, type Flag, type FlagTable, isSwitch } from '@bourse/daemon/settings'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { FlagWords, Takeover } from '../../terminal/verb.ts'
import { versionLine } from './version.ts'

type Reading<Config> =
  | Readonly<{ kind: 'config'; config: Config; notes: readonly string[] }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

type Daemon<Config> = Readonly<{
  name: 'broker' | 'agent'
  flags: FlagTable
  /** Above the flags, and below them. */
  introduction: string
  examples: string
  read(input: Readonly<{ argv: readonly string[]; env: Terminal['env'] }>): Promise<Reading<Config>>
  run(
    config: Config,
    signal: AbortSignal,
  ): Promise<Readonly<{ done: Promise<void>; close(): Promise<void> }>>
}>

/** A verb that reads flags by its own table and runs until it is told to stop. */
export function daemonVerb<Config>(daemon: Daemon<Config>): Takeover {
  const { name, flags, introduction, examples } = daemon
  const help = () => `${introduction}\n\n${describeFlags(flags)}\n${examples}`

  return {
    async takeOver(argv, terminal) {
      if (argv.some((argument) => /^(-h|--?help)$/.test(argument))) {
        terminal.out(help())
        return ExitCode.ok
      }
      if (argv.some((argument) => /^(-V|--version)$/.test(argument))) {
        terminal.out(versionLine())
        return ExitCode.ok
      }
      return runUntilStopped(argv, terminal)
    },
    flags: () => Object.values(flags).map(wordsOf),
  }

  async function runUntilStopped(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
    const read = await daemon.read({ argv, env: terminal.env })
    if (read.kind === 'bad')
      throw new CliError(ExitCode.usage, read.problems.join('\n'), `See \`bourse ${name} --help\`.`)
    for (const note of read.notes) terminal.note(note)

    const running = await daemon.run(read.config, terminal.signal)
    if (terminal.signal.aborted) await running.close()
    terminal.signal.addEventListener('abort', () => void running.close(), { once: true })
    await running.done
    return ExitCode.ok
  }
}

/** A kind that is one of a few says so in its placeholder: `debug|info|warn`. */
const CHOICES = /^[a-z0-9-]+(\|[a-z0-9-]+)+$/

function wordsOf(flag: Flag): FlagWords {
  const { placeholder } = flag.kind
  return {
    names: [`--${flag.name}`],
    summary: '',
    choices: CHOICES.test(placeholder) ? placeholder.split('|') : [],
    takesValue: !isSwitch(flag),
  }
}
