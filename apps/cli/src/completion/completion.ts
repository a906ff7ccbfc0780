import { Argument } from 'commander'
import { type Define, examples } from '../terminal/verb.ts'
import { bashScript } from './bash-script.ts'
import { type CommandLine, readPlaces } from './command-tree.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** Completion of a command line, which this verb is a part of. */
export function completionOf(commandLine: CommandLine): Define {
  return (command, terminal) => {
    command
      .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
      .addHelpText(
        'after',
        examples(
          'source <(bourse completion bash)',
          'source <(bourse completion zsh)',
          'bourse completion fish > ~/.config/fish/completions/bourse.fish',
        ),
      )
      .action(async (shell: keyof typeof scripts) =>
        terminal.out(scripts[shell](await readPlaces(commandLine, terminal))),
      )
  }
}
