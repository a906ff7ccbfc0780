import type { BrokerCommunicator, BrokerConsole } from '@bourse/client'
import type { Command } from 'commander'
import type { Output } from '../terminal/output.ts'
import { printableAnswers } from '../terminal/printable-answers.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type ConnectionFlags, readSettings } from './settings.ts'

export type Broker = BrokerCommunicator & BrokerConsole

/** A typing error in an address is told within a second; "stands by" still gets four of them. */
const PATIENCE_OF_PEOPLE = { attemptsMax: 5 }

/** The flags that every verb which talks to a broker takes. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--broker-url <url>',
      'where the broker is, or URL,URL [BOURSE_BROKER_URL] (default: 127.0.0.1:8443)',
    )
    .option('--cert-path <dir>', 'who we are: tls.crt, tls.key, ca.crt [BOURSE_CERT_PATH]')
}

/** Also takes a reason, which is kept with what the verb does. */
export function withReason(command: Command): Command {
  return withConnection(command).option('--reason <text>', 'why: kept and shown with what was done')
}

/** Opens the connection for as long as the work takes. */
export async function withBroker<T>(
  terminal: Terminal,
  flags: ConnectionFlags & Readonly<{ output?: Output; reason?: string }>,
  work: (broker: Broker) => Promise<T>,
): Promise<T> {
  const { brokerUrl, certPath } = await readSettings(flags, terminal.env)
  const { createHttpBroker } = await import('@bourse/client')
  const broker = createHttpBroker({
    url: brokerUrl,
    certPath,
    retry: PATIENCE_OF_PEOPLE,
    reason: flags.reason,
  })
  // A program gets the data as it came; JSON and YAML have escapes of their own.
  const isForProgram = flags.output === 'json' || flags.output === 'yaml'
  return work(isForProgram ? broker : printableAnswers(broker)).finally(() => broker.close())
}
