import { Argument } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import { type Define, examples } from '../terminal/verb.ts'
import { type CommandLine, readPlaces } from './command-tree.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** Completion of a command line, which this verb is a part of. */
export function completionOf(commandLine: CommandLine): Define {
  return (command, terminal) => {
    command
      .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
      .addHelpText(
        'after',
        examples(
          'source <(bourse completion bash)',
          'source <(bourse completion zsh)',
          'bourse completion fish > ~/.config/fish/completions/bourse.fish',
        ),
      )
      .action((shell: Shell) => print(commandLine, shell, terminal))
  }
}

async function print(commandLine: CommandLine, shell: Shell, terminal: Terminal): Promise<void> {
  const places = await readPlaces(commandLine, terminal)
  switch (shell) {
    case 'bash': {
      const { bashScript } = await import('./bash-script.ts')
      return terminal.out(bashScript(places))
    }
    case 'zsh': {
      const { zshScript } = await import('./zsh-script.ts')
      return terminal.out(zshScript(places))
    }
    case 'fish': {
      const { fishScript } = await import('./fish-script.ts')
      return terminal.out(fishScript(places))
    }
  }
}
