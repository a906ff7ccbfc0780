import type { ConnectionFlags } from '../connection/settings.ts'
import { optionWords, shellWord, typedCommand } from '../connection/typed-command.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RequestFlags } from './request-options.ts'

type Asked = ConnectionFlags & Pick<RequestFlags, 'requester'> & Readonly<{ requestId: string }>

/** Without an answer the capacity may be reserved or not. Asking again with the same id tells. */
export function afterLostAnswer(fault: Error, asked: Asked, terminal: Terminal): Error {
  if (fault.name !== 'BrokerUnreachable' && fault.name !== 'BrokerBusy') return fault
  // There was no connection, so the broker never saw the request.
  if ('isUnsent' in fault && fault.isUnsent === true) return fault
  const { requestId, requester } = asked
  // For the same requester: another may have something under the same request id.
  const which = optionWords({ '--request-id': requestId, '--requester': requester })
  const release = typedCommand(['release', ...which], asked, terminal)
  return new CliError(
    ExitCode.unreachable,
    fault.message,
    'To find out whether it got through, repeat the same command with ' +
      `--request-id ${shellWord(requestId)}; to give up for good: ${release}`,
  )
}
