import { Argument, Option } from 'commander'
import { type BrokerFlags, withBroker } from '../connection/with-broker.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Define, examples } from '../terminal/verb.ts'
import { bashScript } from './bash-script.ts'
import { type CommandLine, type IdKind, readPlaces } from './command-tree.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

/** A longer list is of no use to a person. */
const IDS_MAX = 200
/** Shells expand the words that they are offered: a broker must not have them run something. */
const PLAIN = /^[\w.-]+$/

/** Completion of a command line, which this verb is a part of. */
export function completionOf(commandLine: CommandLine): Define {
  return (command, terminal) => {
    command
      .addArgument(new Argument('[shell]', 'which shell').choices(Object.keys(scripts)))
      // For the scripts, not for people.
      .addOption(new Option('--ids <kind>').hideHelp())
      .addHelpText(
        'after',
        examples(
          'source <(bourse completion bash)',
          'source <(bourse completion zsh)',
          'bourse completion fish > ~/.config/fish/completions/bourse.fish',
        ),
      )
      .action(async (shell: keyof typeof scripts | undefined, { ids }: { ids?: IdKind }) => {
        if (ids !== undefined) return printIds(ids, terminal)
        if (shell === undefined) command.error("error: missing required argument 'shell'")
        else terminal.out(scripts[shell](await readPlaces(commandLine, terminal)))
      })
  }
}

/** As the environment and the config file say: a shell does not know the flags typed so far. */
function printIds(kind: IdKind, terminal: Terminal): Promise<void> {
  const flags: BrokerFlags = { output: 'table' }
  return withBroker(terminal, flags, async (broker) => {
    const page = { limit: IDS_MAX }
    const ids = {
      reservations: async () => (await broker.listReservations(page)).items.map(({ id }) => id),
      peerings: async () => (await broker.listPeerings(page)).items.map(({ id }) => id),
      clusters: async () =>
        (await broker.listClusters(page)).items.map(({ clusterID }) => clusterID),
    }
    for (const id of await ids[kind]()) if (PLAIN.test(id)) terminal.out(id)
  })
}
