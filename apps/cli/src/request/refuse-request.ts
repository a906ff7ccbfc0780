import type { ReservationOutcome } from '@bourse/client'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { createPaint } from '../terminal/colours.ts'
import { type Output, show } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { rankingTable } from '../views/ranking-view.ts'

type Refused = Extract<ReservationOutcome, { kind: 'refused' }>
type Asked = Readonly<{ output: Output; target?: string }>

/** Prints the refusal, as data or as the reason for each cluster; then fails with its exit code. */
export async function refuseRequest(
  outcome: Refused | Extract<ReservationOutcome, { kind: 'tombstoned' }>,
  asked: Asked,
  terminal: Terminal,
): Promise<never> {
  const { output } = asked
  const isForPeople = output === 'table' || output === 'wide'
  if (!isForPeople) await show(terminal, output, { data: outcome, view: () => '' })
  else if (outcome.kind === 'refused') showRows(outcome, output, terminal)
  throw new CliError(
    ExitCode.refused,
    outcome.message,
    `Nothing was reserved. ${next(outcome, asked)}`,
  )
}

function showRows(outcome: Refused, output: Output, terminal: Terminal): void {
  // Clusters other than the target have no reason to show; the sentence names the target.
  const rows = outcome.rows.filter(({ reason }) => reason !== NOT_ASKED)
  if (rows.length === 0) return
  const asked = Object.entries(outcome.refused).filter(([reason]) => reason !== NOT_ASKED)
  const more = asked.reduce((sum, [, count = 0]) => sum + count, 0) - rows.length
  const table = rankingTable(rows, createPaint(false), output === 'wide')
  terminal.note(more > 0 ? `${table}\nand ${more} more: bourse evaluate shows all\n` : `${table}\n`)
}

const NOT_ASKED = 'NotTheTarget'

function next(outcome: Parameters<typeof refuseRequest>[0], { target }: Asked): string {
  if (outcome.kind === 'tombstoned') return 'Use a new --request-id to ask again.'
  // Other amounts do not help where there is no such cluster.
  if (target !== undefined && outcome.rows.every(({ clusterID }) => clusterID !== target))
    return '`bourse clusters` lists the clusters; `bourse evaluate` without --target ranks them.'
  return '`bourse evaluate` shows the ranking for other amounts.'
}
