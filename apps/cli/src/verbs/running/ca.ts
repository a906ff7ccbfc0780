import { type Command, Option } from 'commander'
import { typedCommand } from '../../connection/typed-command.ts'
import { type Output, outputOption, show } from '../../terminal/output.ts'
import { relativeTime } from '../../terminal/relative-time.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { days, defineIssue } from './ca-issue.ts'
import { defineRenew, renew } from './ca-renew.ts'
import {
  type AuthorityFlags,
  DEFAULT_DIR,
  DIR,
  withAuthority,
  withPlace,
} from './with-authority.ts'

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
  defineIssue(withPlace(command.command('issue')), terminal)
  defineRevoke(withPlace(command.command('revoke')), terminal)
  defineList(withPlace(command.command('list')), terminal)
  defineRenew(command.command('renew'), terminal)
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
    .description('revoke certificates: writes crl.pem')
    .argument('<name-or-serial>', 'all certificates of a name, or one by its serial number')
    .addHelpText('after', examples('bourse ca revoke rome'))
    .action(async (nameOrSerial: string, flags: AuthorityFlags) => {
      const { revoked, crlPath } = await withAuthority(flags, terminal, (authority) =>
        authority.revoke(nameOrSerial),
      )
      const { release } = flags
      terminal.out(
        revoked.length === 0
          ? `${nameOrSerial} was already revoked; the list was written again.`
          : `Revoked ${revoked.map(({ name, serial }) => `${name} (${serial})`).join(', ')}.`,
      )
      if (release !== undefined) return renew({ ...flags, release }, terminal)
      terminal.note(
        `Next: copy ${crlPath} into the broker's --http-cert-path; it takes effect at once.`,
      )
    })
}

function defineList(command: Command, terminal: Terminal): void {
  command
    .description('list what was issued')
    .addOption(outputOption())
    .addHelpText('after', examples('bourse ca list -o json'))
    .action(async ({ output, ...flags }: AuthorityFlags & { output: Output }) => {
      const items = await withAuthority(flags, terminal, async (authority) => authority.list())
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
