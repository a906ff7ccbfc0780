import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Command } from 'commander'
import { checkDirectory } from '../../files/directory.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { examples } from '../../terminal/verb.ts'
import { expectLedgerIn, nameOf, type PlaceFlags, placeOf, storeOption } from './ledger-place.ts'

type ExportFlags = PlaceFlags & Readonly<{ out?: string }>
type ImportFlags = PlaceFlags & Readonly<{ keepLedgerId?: boolean }>

export function defineExport(command: Command, terminal: Terminal): void {
  command
    .description('write one moment of a ledger to a file, also while its broker is running')
    .addOption(storeOption('where it is'))
    .option('--data-dir <dir>', "for sqlite: the broker's data directory")
    .option('--kubeconfig <file>', 'for kubernetes: which cluster')
    .option('--store-namespace <namespace>', 'for kubernetes: where the ledger is')
    .option('--out <file>', 'a new file (default: standard output)')
    .addHelpText(
      'after',
      examples(
        'bourse ledger export --data-dir ./data --out backup.jsonl',
        'bourse ledger export --data-dir ./data | gzip > backup.jsonl.gz',
        'bourse ledger export --store kubernetes --store-namespace bourse-system --out backup.jsonl',
        'BOURSE_POSTGRES_URL=postgres://db/bourse bourse ledger export --store postgres --out backup.jsonl',
      ),
    )
    .action((flags: ExportFlags) => exportLedger(flags, terminal))
}

async function exportLedger(flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { out } = flags
  if (out !== undefined && existsSync(out))
    throw new CliError(ExitCode.usage, `${out} exists already.`, 'Choose another --out.')
  if (out !== undefined) checkDirectory(dirname(out))
  if (out === undefined && process.stdout.isTTY)
    throw new CliError(ExitCode.usage, 'A backup is not for the screen.', 'Give --out=FILE.')
  const place = placeOf(flags, terminal)
  if (typeof place === 'string') await expectLedgerIn(place)
  const { exportStore, exportElsewhere } = await import('@bourse/broker/backup')
  // Under another name until it is complete and on the disk: half a backup must not look like one.
  const draft = `${out}.partial`
  const into =
    out === undefined ? process.stdout : createWriteStream(draft, { flush: true, mode: 0o600 })
  const { head, batches, snapshots, ended } = await (typeof place === 'string'
    ? exportStore(place, into)
    : exportElsewhere(place, into))
  if (out !== undefined) {
    into.end()
    await finished(into)
    renameSync(draft, out)
  }
  terminal.note(
    `Exported ${nameOf(place)} up to index ${head.index}: ${batches} batches, ${snapshots} snapshots, ` +
      `${ended} ended reservations${out === undefined ? '' : ` to ${out}`}.`,
  )
}

export function defineImport(command: Command, terminal: Terminal): void {
  command
    .description('make a ledger from an export, in an empty directory or store')
    .argument('<file>', 'the export, or - for standard input')
    .addOption(storeOption('where to'))
    .option('--data-dir <dir>', 'for sqlite: an empty or new directory')
    .option('--kubeconfig <file>', 'for kubernetes: which cluster')
    .option('--store-namespace <namespace>', 'for kubernetes: where no ledger is yet')
    .option('--keep-ledger-id', 'a move, not a restore: agents go on as if nothing had happened')
    .addHelpText(
      'after',
      examples(
        'bourse ledger import backup.jsonl --data-dir ./restored',
        'gunzip < backup.jsonl.gz | bourse ledger import - --data-dir ./restored',
        'bourse ledger import backup.jsonl --store kubernetes --store-namespace bourse --keep-ledger-id',
        'BOURSE_POSTGRES_URL=postgres://db/bourse bourse ledger import backup.jsonl --store postgres',
      ),
    )
    .action((file: string, flags: ImportFlags) => importLedger(file, flags, terminal))
}

async function importLedger(file: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  if (file !== '-' && !existsSync(file))
    throw new CliError(ExitCode.notFound, `There is no file ${file}.`)
  const place = placeOf(flags, terminal)
  const { importStore, importElsewhere } = await import('@bourse/broker/backup')
  const input = file === '-' ? process.stdin : createReadStream(file)
  const { keepLedgerId = false } = flags
  const { head, ledgerId, from } =
    typeof place === 'string'
      ? await importStore(input, place, { keepLedgerId })
      : await importElsewhere(input, place, { keepLedgerId })
  terminal.out(`Imported ${nameOf(place)}: ledger ${ledgerId} at index ${head.index}.`)
  if (ledgerId !== from)
    terminal.note(
      `It is a new ledger, restored from ${from}: agents add what it says, and remove nothing ` +
        'until an operator has confirmed the change.',
    )
}
