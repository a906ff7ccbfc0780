import { envNameOf, type Flag, type FlagTable, isSwitch } from '@bourse/daemon/settings'
import { typedCommand } from '../../connection/typed-command.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { VerbModule } from '../../terminal/verb.ts'
import { versionLine } from './version.ts'

type Reading<Config> =
  | Readonly<{ kind: 'config'; config: Config; notes: readonly string[] }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

type Daemon<Config> = Readonly<{
  name: 'broker' | 'agent'
  flags: FlagTable
  description: string
  examples: string
  read(input: Readonly<{ argv: readonly string[]; env: Terminal['env'] }>): Promise<Reading<Config>>
  run(
    config: Config,
    signal: AbortSignal,
  ): Promise<Readonly<{ done: Promise<void>; close(): Promise<void> }>>
}>

const SOURCES_HELP = `
Every flag is also an environment variable (in brackets) and a key of the config file.
A flag wins over the variable, the variable over the file.`

/**
 * A verb that runs until it is told to stop. Its own table reads the flags (decision 0036);
 * commander only prints them, for help and for completion.
 */
export function daemonVerb<Config>(daemon: Daemon<Config>): Required<VerbModule> {
  return {
    define(command) {
      command.description(daemon.description)
      for (const flag of Object.values(daemon.flags)) {
        const option = command
          .createOption(flagsOf(flag), describe(flag))
          .helpGroup(`${flag.group}:`)
        if (flag.kind.choices) option.choices(flag.kind.choices)
        if (flag.default !== undefined) option.default(flag.default, flag.default)
        command.addOption(option)
      }
      command.addHelpText('after', SOURCES_HELP).addHelpText('after', daemon.examples)
    },

    async run(argv, terminal) {
      if (argv.some((argument) => /^(-V|--version)$/.test(argument))) {
        terminal.out(versionLine())
        return ExitCode.ok
      }
      const read = await daemon.read({ argv, env: terminal.env })
      if (read.kind === 'bad')
        throw new CliError(
          ExitCode.usage,
          read.problems.join('\n'),
          `See \`${typedCommand([daemon.name, '--help'], {}, terminal)}\`.`,
        )
      for (const note of read.notes) terminal.note(note)

      const running = await daemon.run(read.config, terminal.signal)
      if (terminal.signal.aborted) await running.close()
      terminal.signal.addEventListener('abort', () => void running.close(), { once: true })
      await running.done
      return ExitCode.ok
    },
  }
}

/** A flag with few values is named for its last word: `--log-level <level>`. */
function flagsOf(flag: Flag): string {
  if (isSwitch(flag)) return `--${flag.name}`
  const { choices, placeholder } = flag.kind
  return `--${flag.name} <${choices ? flag.name.split('-').at(-1) : placeholder.toLowerCase()}>`
}

/** In lower case, as the other verbs describe their flags; `MQTT` and `YAML` stay. */
function describe(flag: Flag): string {
  const help = flag.help.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
  const example = flag.example ? `; for example ${flag.example}` : ''
  return `${help}${example} [${envNameOf(flag)}]`
}
