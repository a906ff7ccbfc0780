import type { BrokerCommunicator, BrokerConsole } from '@bourse/client'
import type { Command } from 'commander'
import { type Output, outputOption, show, type View } from '../terminal/output.ts'
import { printableAnswers } from '../terminal/printable-answers.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type ConnectionFlags, readSettings } from './settings.ts'
import { nameTurnedAway } from './turned-away.ts'

export type Broker = BrokerCommunicator & BrokerConsole

export type BrokerFlags = ConnectionFlags & Readonly<{ output: Output }>

/** Few enough to report a mistyped address within a second, enough for a standby to take over. */
const RETRY = { attemptsMax: 5 }

/** The flags of every verb that calls a broker. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--broker-url <url>',
      'address of the broker, several with commas [BOURSE_BROKER_URL] (default: 127.0.0.1:8443)',
    )
    .option('--cert-path <dir>', 'directory with tls.crt, tls.key and ca.crt [BOURSE_CERT_PATH]')
    .addOption(outputOption())
}

/** Also takes a reason, which is kept with what the verb does. */
export function withReason(command: Command): Command {
  return withConnection(command).option('--reason <text>', 'why: kept and shown with what was done')
}

/** Prints an answer of the broker in the format that `--output` names. */
type Answer = <T>(data: T, viewOf: (data: T) => View) => Promise<void>

/** Opens the connection for as long as the work takes. */
export async function withBroker(
  terminal: Terminal,
  flags: BrokerFlags & Readonly<{ reason?: string }>,
  work: (broker: Broker, answer: Answer) => Promise<void>,
): Promise<void> {
  const { brokerUrl, certPath } = await readSettings(flags, terminal.env)
  const { createHttpBroker } = await import('@bourse/client')
  const { reason } = flags
  const broker = createHttpBroker({ url: brokerUrl, certPath, retry: RETRY, reason })
  // A program gets the data as it came; JSON and YAML have escapes of their own.
  const isForProgram = flags.output === 'json' || flags.output === 'yaml'
  const answer: Answer = (data, viewOf) =>
    show(terminal, flags.output, { data, view: viewOf(data) })
  await work(isForProgram ? broker : printableAnswers(broker), answer)
    .catch(async (fault: Error) => {
      throw await nameTurnedAway(fault, flags, terminal)
    })
    .finally(() => broker.close())
}
