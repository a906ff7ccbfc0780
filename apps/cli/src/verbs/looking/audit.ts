import type { AuditReport } from '@bourse/contract'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { View } from '../../terminal/output.ts'
import { relativeTime } from '../../terminal/relative-time.ts'
import { renderPairs } from '../../terminal/table.ts'
import { type Define, examples } from '../../terminal/verb.ts'

export const define: Define = (command, terminal) => {
  withConnection(command)
    .addHelpText('after', examples('bourse audit', 'bourse audit -o json'))
    .action((flags: BrokerFlags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        const report = await broker.audit()
        await answer(report, auditView)
        if (report.state === 'inconsistent')
          throw new CliError(
            ExitCode.fault,
            'The books do not add up.',
            'Stop the broker, keep its data directory, and run `bourse ledger verify --data-dir DIR`.',
          )
      }),
    )
}

function auditView(report: AuditReport): View {
  return ({ paint, now }) => {
    const colour = report.state === 'inconsistent' ? 'red' : 'green'
    const pairs = renderPairs([
      ['State', paint(report.state, colour)],
      ['Checked up to', `index ${report.index}`],
      ['Checked', relativeTime(report.checkedAt, now)],
      ['Clusters', String(report.clusters)],
      ['Live reservations', String(report.reservations)],
    ])
    return [pairs, ...report.findings.map((finding) => paint(`  ${finding}`, 'red'))].join('\n')
  }
}
