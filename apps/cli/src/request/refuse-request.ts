import type { ReservationOutcome } from '@bourse/client'
import type { ConnectionFlags } from '../connection/settings.ts'
import { typedCommand } from '../connection/typed-command.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { createPaint } from '../terminal/colours.ts'
import { isForPeople, type Output, show } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { rankingTable, refusalBelow } from '../views/ranking-view.ts'
import { type RequestFlags, requestWords } from './request-options.ts'

type Refused = Extract<ReservationOutcome, { kind: 'refused' }>
type Asked = ConnectionFlags & RequestFlags & Readonly<{ output: Output }>

/** Prints the refusal, as data or as the reason for each cluster; then fails with its exit code. */
export async function refuseRequest(
  outcome: Refused | Extract<ReservationOutcome, { kind: 'tombstoned' }>,
  asked: Asked,
  terminal: Terminal,
): Promise<never> {
  const { output } = asked
  const shown = outcome.kind === 'refused' && isForPeople(output) ? rowsShown(outcome) : []
  if (!isForPeople(output)) await show(terminal, output, { data: outcome, view: () => '' })
  else if (outcome.kind === 'refused' && shown.length > 0) showRows(shown, outcome, asked, terminal)
  throw new CliError(
    ExitCode.refused,
    refusalBelow(shown, outcome.message),
    `Nothing was reserved. ${next(outcome, asked, terminal)}`,
  )
}

/** Clusters other than the target have no reason to show; the sentence names the target. */
function rowsShown({ rows }: Refused): Refused['rows'] {
  return rows.filter(({ reason }) => reason !== NOT_ASKED)
}

function showRows(rows: Refused['rows'], outcome: Refused, asked: Asked, terminal: Terminal): void {
  const refused = Object.entries(outcome.refused).filter(([reason]) => reason !== NOT_ASKED)
  const more = refused.reduce((sum, [, count = 0]) => sum + count, 0) - rows.length
  const table = rankingTable(rows, createPaint(false), asked.output === 'wide')
  const all = `\nand ${more} more: ${evaluation(asked, terminal)}`
  terminal.note(`${table}${more > 0 ? all : ''}\n`)
}

/** The same request, only asked about. */
function evaluation(asked: Asked, terminal: Terminal): string {
  return typedCommand(['evaluate', ...requestWords(asked)], asked, terminal)
}

const NOT_ASKED = 'NotTheTarget'

function next(
  outcome: Parameters<typeof refuseRequest>[0],
  asked: Asked,
  terminal: Terminal,
): string {
  if (outcome.kind === 'tombstoned') return 'Use a new --request-id to ask again.'
  const { target, ...anywhere } = asked
  // Other amounts do not help where there is no such cluster.
  if (target !== undefined && outcome.rows.every(({ clusterID }) => clusterID !== target))
    return `To see which clusters there are: ${evaluation(anywhere, terminal)}`
  return `To see the ranking, also for other amounts: ${evaluation(asked, terminal)}`
}
