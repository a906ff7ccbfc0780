import type { Command } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { examples } from '../../terminal/verb.ts'
import { expectLedgerIn, nameOf, type PlaceFlags, placeOf, storeOption } from './ledger-place.ts'

export function defineAcceptRollback(command: Command, terminal: Terminal): void {
  command
    .description('go on from an older copy of a ledger, under a new ledger id')
    .addOption(storeOption('where it is'))
    .option('--data-dir <dir>', 'for sqlite: the directory of a broker that is stopped')
    .option('--kubeconfig <file>', 'for kubernetes: which cluster')
    .option('--store-namespace <namespace>', 'for kubernetes: where the ledger is')
    .addHelpText(
      'after',
      examples(
        'bourse ledger accept-rollback --data-dir ./data',
        'bourse ledger accept-rollback --store kubernetes --store-namespace bourse-system',
        'BOURSE_POSTGRES_URL=postgres://db/bourse bourse ledger accept-rollback --store postgres',
      ),
    )
    .action((flags: PlaceFlags) => accept(flags, terminal))
}

async function accept(flags: PlaceFlags, terminal: Terminal): Promise<void> {
  const place = placeOf(flags, terminal)
  if (typeof place === 'string') await expectLedgerIn(place)
  const { acceptRollback } = await import('@bourse/broker/backup')
  const { ledgerId, from, head } = await acceptRollback(place)
  terminal.out(`Accepted ${nameOf(place)}: ledger ${ledgerId} at index ${head.index}.`)
  terminal.note(
    `It is a new ledger, which goes on from an older copy of ${from}: what was acknowledged after ` +
      `that copy is lost. ${whatBrokersDo(place)} Agents add what it says, and remove nothing ` +
      'until an operator has confirmed the change.',
  )
}

function whatBrokersDo(place: ReturnType<typeof placeOf>): string {
  if (typeof place === 'string') return 'Start its broker.'
  return 'A broker that leads it exits, to be started again by its supervisor; a standby goes on.'
}
