import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Takeover } from './verb.ts'

export const takeover: Takeover = {
  async takeOver() {
    throw new CliError(
      ExitCode.nextRelease,
      'The agent comes with the next release.',
      'Until then agents of the Go original can talk to this broker: give them its URL and a ' +
        'certificate from `bourse ca issue`.',
    )
  },
  flagNames: () => [],
}
