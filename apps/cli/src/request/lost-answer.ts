import type { ConnectionFlags } from '../connection/settings.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { RequestFlags } from './request-options.ts'

type Asked = ConnectionFlags & Pick<RequestFlags, 'requester'> & Readonly<{ requestId: string }>

/** Without an answer the capacity may be reserved or not. Asking again with the same id tells. */
export function afterLostAnswer(fault: Error, asked: Asked): Error {
  if (fault.name !== 'BrokerUnreachable' && fault.name !== 'BrokerBusy') return fault
  // There was no connection, so the broker never saw the request.
  if ('isUnsent' in fault && fault.isUnsent === true) return fault
  const requestId = `--request-id ${shellWord(asked.requestId)}`
  return new CliError(
    ExitCode.unreachable,
    fault.message,
    `To find out whether it got through, repeat the same command with ${requestId}; to give up ` +
      `for good: bourse release ${requestId}${sameCaller(asked)}`,
  )
}

/** Without these flags the release would go to another broker, or concern another requester. */
function sameCaller({ requester, brokerUrl, certPath }: Asked): string {
  const flags = { '--requester': requester, '--broker-url': brokerUrl, '--cert-path': certPath }
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? '' : ` ${name} ${shellWord(value)}`))
    .join('')
}

/** As a shell has to read it, so that the command can be pasted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
