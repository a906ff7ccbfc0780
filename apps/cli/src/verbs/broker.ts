import { brokerFlags, readBrokerConfig } from '@bourse/broker/config'
import { describeFlags } from '@bourse/daemon/settings'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples, type Takeover } from './verb.ts'

const HELP = `Usage: bourse broker --http-cert-path=DIR [flags]

Runs the broker. Every flag is also an environment variable (in brackets) and a key of the
config file; a flag wins over the variable, the variable over the file.

${describeFlags(brokerFlags)}
${examples(
  'bourse broker --http-cert-path=./pki/broker --data-dir=./data',
  'bourse broker --broker-interface=http --http-port=8443 --http-cert-path=/etc/bourse/certs',
  'bourse broker --config=/etc/bourse/broker.yaml --log-format=pretty',
)}`

export const takeover: Takeover = {
  async takeOver(argv, terminal) {
    if (argv.some((argument) => /^(-h|--?help)$/.test(argument))) {
      terminal.out(HELP)
      return ExitCode.ok
    }
    return runUntilStopped(argv, terminal)
  },
  flagNames: () => Object.values(brokerFlags).map((flag) => `--${flag.name}`),
}

async function runUntilStopped(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const read = readBrokerConfig({ argv, env: terminal.env })
  if (read.kind === 'bad')
    throw new CliError(ExitCode.usage, read.problems.join('\n'), 'See `bourse broker --help`.')
  for (const note of read.notes) terminal.note(note)

  const { runBroker } = await import('@bourse/broker')
  const broker = await runBroker(read.config, { signal: terminal.signal })
  if (terminal.signal.aborted) await broker.close()
  terminal.signal.addEventListener('abort', () => void broker.close(), { once: true })
  await broker.done
  return ExitCode.ok
}
