import type { Command } from 'commander'
import { typedHint } from '../../connection/typed-command.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import { renderPairs } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { defineAcceptRollback } from './ledger-accept-rollback.ts'
import { defineExport, defineImport } from './ledger-backup.ts'
import { expectLedgerIn } from './ledger-place.ts'

export const define: Define = (command, terminal) => {
  command.addHelpText(
    'after',
    examples(
      'bourse ledger verify --data-dir ./data',
      'bourse ledger export --data-dir ./data --out backup.jsonl',
      'bourse ledger import backup.jsonl --data-dir ./restored',
    ),
  )
  defineVerify(command.command('verify'), terminal)
  defineExport(command.command('export'), terminal)
  defineImport(command.command('import'), terminal)
  defineAcceptRollback(command.command('accept-rollback'), terminal)
}

type VerifyFlags = Readonly<{ dataDir: string; output: Output }>

function defineVerify(command: Command, terminal: Terminal): void {
  command
    .description('read a ledger whole and check every hash, also while its broker is running')
    .requiredOption('--data-dir <dir>', "the broker's data directory")
    .addOption(outputOption())
    .addHelpText('after', examples('bourse ledger verify --data-dir ./data'))
    .action(async ({ dataDir, output }: VerifyFlags) => {
      await expectLedgerIn(dataDir)
      const { verifyStore } = await import('@bourse/broker/backup')
      const checked = verifyStore(dataDir)
      await show(terminal, output, {
        data: { dataDir, ...checked },
        view: ({ paint }) =>
          renderPairs([
            ['Ledger', dataDir],
            checked.notices.length === 0
              ? ['Verdict', paint('sound', 'green')]
              : ['Verdict', paint('sound as far as can be told', 'yellow')],
            ...checked.notices.map((notice) => ['Notice', typedHint(notice, terminal)] as const),
            ['Head', `index ${checked.state.head.index}`],
            ['Hash', checked.state.head.hash],
            ['Batches', String(checked.batches)],
            ['Snapshots', String(checked.snapshots)],
            ...Object.entries(checked.rows).map(
              ([name, count]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, `${count}`] as const,
            ),
          ]),
      })
    })
}
