import { agentFlags, readAgentConfig } from '@bourse/agent/config'
import { describeFlags } from '@bourse/daemon/settings'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples, type Takeover } from './verb.ts'

const HELP = `Usage: bourse agent --broker-url=URL --broker-cert-path=DIR [flags]

Runs the agent of a cluster: it measures what the cluster has free, offers it to the broker, and
carries out what is reserved. Every flag is also an environment variable (in brackets) and a key of
the config file; a flag wins over the variable, the variable over the file.

${describeFlags(agentFlags)}
${examples(
  'bourse agent --broker-url=https://broker.example:8443 --broker-cert-path=./pki/rome',
  'bourse agent --broker-url=https://broker.example:8443 --broker-cert-path=./pki/rome --share=50%',
  'bourse agent --config=/etc/bourse/agent.yaml --log-format=pretty',
)}`

export const takeover: Takeover = {
  async takeOver(argv, terminal) {
    if (argv.some((argument) => /^(-h|--?help)$/.test(argument))) {
      terminal.out(HELP)
      return ExitCode.ok
    }
    return runUntilStopped(argv, terminal)
  },
  flagNames: () => Object.values(agentFlags).map((flag) => `--${flag.name}`),
}

async function runUntilStopped(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const read = readAgentConfig({ argv, env: terminal.env })
  if (read.kind === 'bad')
    throw new CliError(ExitCode.usage, read.problems.join('\n'), 'See `bourse agent --help`.')
  for (const note of read.notes) terminal.note(note)

  const { runAgent } = await import('@bourse/agent')
  const agent = await runAgent(read.config)
  if (terminal.signal.aborted) await agent.close()
  terminal.signal.addEventListener('abort', () => void agent.close(), { once: true })
  await agent.done
  return ExitCode.ok
}
