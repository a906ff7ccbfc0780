import {
  BadAnswer,
  BrokerBusy,
  BrokerRefused,
  BrokerUnreachable,
  IdentityRefused,
} from '@bourse/client'
import { errorCodes } from '@bourse/contract/error-codes'
import { CliError, ExitCode } from './cli-error.ts'
import { flagOfPath } from './flag-names.ts'

export type FaultReport = Readonly<{ exitCode: ExitCode; what: string; next?: string }>

const UNKNOWN_CERTIFICATE =
  'Check --cert-path; `bourse ca issue NAME` makes a certificate that the broker knows.'
const ANOTHER_ADDRESS =
  "Check --broker-url: it has to be an address that the broker's certificate names. " +
  '`bourse ca issue broker --server --dns NAME --ip ADDRESS --force` makes the broker another one.'

const FOR_ITS_OPERATOR =
  'Only the operator of that broker can fix this: ' +
  '`bourse ca issue broker --server --force` makes it a new one.'

/** The message for a person, and the exit code for a script. */
export function reportOf(thrown: unknown): FaultReport {
  if (thrown instanceof CliError) {
    const { exitCode, message, next } = thrown
    return { exitCode, what: message, ...(next === undefined ? {} : { next }) }
  }
  if (thrown instanceof BrokerRefused) return refusal(thrown)
  if (thrown instanceof IdentityRefused)
    return { exitCode: ExitCode.forbidden, what: thrown.message, next: adviceOnIdentity(thrown) }
  if (thrown instanceof BrokerUnreachable)
    return {
      exitCode: ExitCode.unreachable,
      what: thrown.message,
      next: 'Check --broker-url, and that the broker runs.',
    }
  if (thrown instanceof BrokerBusy)
    return {
      exitCode: ExitCode.unreachable,
      what: thrown.message,
      next: 'Try again in a moment; repeating with the same --request-id is safe.',
    }
  if (thrown instanceof BadAnswer)
    return { exitCode: ExitCode.fault, what: thrown.message, next: 'Check --broker-url.' }
  return unforeseen(thrown)
}

function adviceOnIdentity({ isWrongAddress, isForOperator }: IdentityRefused): string {
  if (isForOperator) return FOR_ITS_OPERATOR
  return isWrongAddress ? ANOTHER_ADDRESS : UNKNOWN_CERTIFICATE
}

/** A store's error brings its own advice; any other error has only its message. */
function unforeseen(thrown: unknown): FaultReport {
  if (!(thrown instanceof Error)) return { exitCode: ExitCode.fault, what: String(thrown) }
  const what = /[.!?]$/.test(thrown.message) ? thrown.message : `${thrown.message}.`
  const advice = adviceOf(thrown)
  return { exitCode: ExitCode.fault, what, ...(advice === undefined ? {} : { next: `${advice}.` }) }
}

function adviceOf(thrown: Error): string | undefined {
  if ('advice' in thrown && typeof thrown.advice === 'string') return thrown.advice
  if ('code' in thrown && thrown.code === 'EADDRINUSE') return 'Another process listens there'
  return undefined
}

function refusal(refused: BrokerRefused): FaultReport {
  const { code, status, message, fields } = refused
  const details = fields
    .filter((field) => !message.includes(field.message))
    .map((field) => `\n  ${flagOfPath(field.path)}: ${field.message}`)
    .join('')
  const what = withFlags(message, fields) + details
  const exitCode = EXIT_CODES[status] ?? ExitCode.fault
  if (code === undefined || code === 'Unsupported') return { exitCode, what }
  // The table's advice names `fields` of the JSON; here they are printed above.
  if (code === 'InvalidRequest')
    return { exitCode, what, next: 'Nothing was changed. Correct it and try again.' }
  return { exitCode, what, next: errorCodes[code].next }
}

/** The broker names fields of the JSON, which a person at a terminal has not written. */
function withFlags(message: string, fields: BrokerRefused['fields']): string {
  return fields.reduce(
    (said, field) =>
      said.replace(
        `${field.path}: ${field.message}`,
        `${flagOfPath(field.path)}: ${field.message}`,
      ),
    message,
  )
}

/** By status of the answer; of any other status: `fault`. */
const EXIT_CODES: Readonly<Record<number, ExitCode>> = {
  400: ExitCode.usage,
  403: ExitCode.forbidden,
  404: ExitCode.notFound,
  405: ExitCode.notFound,
  409: ExitCode.refused,
  413: ExitCode.usage,
  422: ExitCode.refused,
}
