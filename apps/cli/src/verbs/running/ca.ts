import { type Command, Option } from 'commander'
import { typedCommand } from '../../connection/typed-command.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import { relativeTime } from '../../terminal/relative-time.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { days, defineIssue } from './ca-issue.ts'

const DEFAULT_DIR = './pki'
const DIR = ['--dir <dir>', "the authority's directory", DEFAULT_DIR] as const

export const define: Define = (command, terminal) => {
  command.addHelpText(
    'after',
    examples(
      'bourse ca init',
      'bourse ca issue broker --server --dns broker.example.org',
      'bourse ca issue rome',
      'bourse ca issue alice --operator',
      'bourse ca revoke rome',
    ),
  )
  defineInit(command, terminal)
  defineIssue(command.command('issue').option(...DIR), terminal)
  defineRevoke(command, terminal)
  defineList(command, terminal)
}

type InitFlags = Readonly<{ dir: string; name: string; keyType: 'ec' | 'rsa'; days: number }>

function defineInit(command: Command, terminal: Terminal): void {
  command
    .command('init')
    .description('make a certificate authority: ca.crt, and ca.key that only you can read')
    .option(...DIR)
    .option('--name <name>', 'what it is called', 'bourse federation')
    .addOption(new Option('--key-type <type>', 'kind of keys').choices(['ec', 'rsa']).default('ec'))
    .option('--days <days>', 'how long it is valid', days, 3_650)
    .addHelpText('after', examples('bourse ca init --dir /secure/pki --name "Example federation"'))
    .action(async ({ dir, ...options }: InitFlags) => {
      const { initAuthority } = await import('../../ca/authority.ts')
      await initAuthority(dir, { ...options, now: new Date(terminal.now()) })
      terminal.out(`Made ${dir}/ca.crt and ${dir}/ca.key. Keep the key where only you can read it.`)
      const there = dir === DEFAULT_DIR ? [] : ['--dir', dir]
      const [broker, cluster] = [['broker', '--server'], ['NAME']].map((words) =>
        typedCommand(['ca', 'issue', ...words, ...there], {}, terminal),
      )
      terminal.note(`Next: ${broker}, then ${cluster} per cluster.`)
    })
}

function defineRevoke(command: Command, terminal: Terminal): void {
  command
    .command('revoke')
    .description('revoke certificates: writes crl.pem')
    .argument('<name-or-serial>', 'all certificates of a name, or one by its serial number')
    .option(...DIR)
    .addHelpText('after', examples('bourse ca revoke rome'))
    .action(async (nameOrSerial: string, { dir }: { dir: string }) => {
      const { openAuthority } = await import('../../ca/authority.ts')
      const authority = openAuthority(dir, () => new Date(terminal.now()))
      const { revoked, crlPath } = await authority.revoke(nameOrSerial)
      terminal.out(
        revoked.length === 0
          ? `${nameOrSerial} was already revoked; ${crlPath} was written again.`
          : `Revoked ${revoked.map(({ name, serial }) => `${name} (${serial})`).join(', ')}.`,
      )
      terminal.note(
        `Next: copy ${crlPath} into the broker's --http-cert-path; it takes effect at once.`,
      )
    })
}

function defineList(command: Command, terminal: Terminal): void {
  command
    .command('list')
    .description('list what was issued')
    .option(...DIR)
    .addOption(outputOption())
    .addHelpText('after', examples('bourse ca list -o json'))
    .action(async ({ dir, output }: { dir: string; output: Output }) => {
      const { openAuthority } = await import('../../ca/authority.ts')
      const items = openAuthority(dir, () => new Date(terminal.now())).list()
      await show(terminal, output, {
        data: { items },
        view: ({ paint, now }) =>
          renderTable(
            [
              { title: 'NAME', cell: ({ name }) => name },
              { title: 'ROLE', cell: ({ role }) => role },
              { title: 'EXPIRES', cell: ({ expiresAt }) => relativeTime(expiresAt, now) },
              { title: 'REVOKED', cell: ({ revokedAt }) => relativeTime(revokedAt, now) },
              { title: 'SERIAL', cell: ({ serial }) => serial },
            ],
            items,
            paint,
          ),
      })
    })
}
