import { Command, Help } from 'commander'
import { typedHelp } from './connection/typed-command.ts'
import { refuseEmpty } from './request/refuse-empty.ts'
import { EXIT_CODES_HELP } from './terminal/cli-error.ts'
import type { Terminal } from './terminal/terminal.ts'
import { type Define, examples } from './terminal/verb.ts'
import { verbs } from './verbs.ts'

const SETTINGS_HELP = `
Settings of the verbs that call a broker (a flag wins over the variable, that over the file):
  --broker-url, BOURSE_BROKER_URL   default https://127.0.0.1:8443
  --cert-path, BOURSE_CERT_PATH     directory with tls.crt, tls.key and ca.crt
  BOURSE_CONFIG                     file with broker-url and cert-path, as \`bourse login\` writes it
                                    (default ~/.config/bourse/config.yaml)
  NO_COLOR                          no colours, also on a terminal`

/** A longer flag has its description below it: beside it there would be no room left. */
const TERM_WIDTH_MAX = 30
const help = new Help()

const padWidth: Help['padWidth'] = (command, helper) =>
  Math.min(TERM_WIDTH_MAX, help.padWidth(command, helper))

const formatItem: Help['formatItem'] = (term, width, description, helper) => {
  help.helpWidth = helper.helpWidth ?? 80
  if (term.length <= width) return help.formatItem(term, width, description, helper)
  return `  ${term}\n${help.formatItem('', width, description, helper)}`
}

/** The command tree: every verb by name; only the verb that was asked for has its flags. */
export function createProgram(
  terminal: Terminal,
  loaded?: { name: string; define: Define },
): Command {
  const program = new Command('bourse')
    .description('A capacity exchange for Kubernetes clusters.')
    .usage('VERB [options]')
    .helpCommand(false)
    // Here only for the help text: `--version` is read before commander is loaded.
    .option('-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ padWidth, formatItem })
    .configureOutput({
      writeOut: (text) => terminal.out(typedHelp(text.trimEnd(), terminal)),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'bourse: ')),
    })
    .addHelpText('after', SETTINGS_HELP)
    .addHelpText(
      'after',
      examples(
        'bourse ca init && bourse ca issue broker --server && bourse ca issue rome',
        'bourse broker --http-cert-path=./pki/broker',
        'bourse reserve --cert-path=./pki/rome --cpu 2 --memory 4Gi --duration 1h',
        'bourse explain rsv-42',
      ),
    )
    .addHelpText('afterAll', `\n${EXIT_CODES_HELP}`)
  for (const { name, summary, group } of verbs) {
    const command = program.command(name).description(summary).helpGroup(group)
    if (loaded?.name !== name) continue
    loaded.define(command, terminal)
    refuseEmpty(command)
  }
  return program
}
