import type { ConnectionFlags } from '../connection/settings.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { shellWord } from '../terminal/shell-word.ts'
import type { RequestFlags } from './request-options.ts'

type Asked = ConnectionFlags & Pick<RequestFlags, 'requester'> & Readonly<{ requestId: string }>

/** Without an answer it may or may not be held; with the id, asking again settles it. */
export function nobodyKnows(fault: Error, asked: Asked): Error {
  if (fault.name !== 'BrokerUnreachable' && fault.name !== 'BrokerBusy') return fault
  // There was no connection: nothing is to be found out, and nothing to be given up.
  if ('isUnsent' in fault && fault.isUnsent === true) return fault
  const requestId = `--request-id ${shellWord(asked.requestId)}`
  return new CliError(
    ExitCode.unreachable,
    fault.message,
    `To find out whether it got through, repeat the same command with ${requestId}; to give up ` +
      `for good: bourse release ${requestId}${sameCaller(asked)}`,
  )
}

/** Without these, a release would be of another's request, or at another broker. */
function sameCaller({ requester, brokerUrl, certPath }: Asked): string {
  const flags = { '--requester': requester, '--broker-url': brokerUrl, '--cert-path': certPath }
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? '' : ` ${name} ${shellWord(value)}`))
    .join('')
}
