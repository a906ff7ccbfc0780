import type { Command, Option } from 'commander'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

/** An unset variable in a script (`--target "$CLUSTER"`) is an error, not a missing flag. */
export function refuseEmpty(command: Command): void {
  for (const option of command.options.filter(({ required }) => required)) {
    const { parseArg: read = (written: string) => written } = option
    option.argParser((written: string, before: unknown) => {
      if (written.trim() === '') throw emptyOption(option)
      return read(written, before)
    })
  }
  command.hook('preAction', (_, { args, registeredArguments }) => {
    const at = args.findIndex((argument) => argument.trim() === '')
    const name = (registeredArguments[at] ?? registeredArguments.at(-1))?.name().toUpperCase()
    if (at >= 0 && name !== undefined)
      throw new CliError(
        ExitCode.usage,
        `${name} is empty.`,
        'A variable that is not set, perhaps?',
      )
  })
  for (const below of command.commands) refuseEmpty(below)
}

function emptyOption({ long, flags, mandatory }: Option): CliError {
  const [, value = 'a value'] = /<(.+)>/.exec(flags) ?? []
  const way = `give it a value: ${long} ${value.toUpperCase()}`
  const advice = mandatory ? way : `leave it out, or ${way}`
  return new CliError(ExitCode.usage, `${long} is empty: ${advice}.`)
}
