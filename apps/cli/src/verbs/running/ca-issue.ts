import { join } from 'node:path'
import type { Command } from 'commander'
import type { Role } from '../../ca/issued-records.ts'
import { typedCommand } from '../../connection/typed-command.ts'
import { wholeNumber } from '../../request/whole-number.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { examples } from '../../terminal/verb.ts'
import { type AuthorityFlags, withAuthority } from './with-authority.ts'

type Flags = AuthorityFlags &
  Readonly<{
    server?: boolean
    operator?: boolean
    dns?: readonly string[]
    ip?: readonly string[]
    out?: string
    days: number
    force?: boolean
  }>

/** Several with commas, or the flag again. */
export const collect = (value: string, before: readonly string[] = []) => [
  ...before,
  ...value.split(','),
]

/** At most a century. */
export const days = wholeNumber(1, 36_500)

/** `bourse ca issue NAME`: a directory that broker, agent and command line take as it is. */
export function defineIssue(command: Command, terminal: Terminal): void {
  command
    .description('issue a certificate: a directory with tls.crt, tls.key and ca.crt')
    .argument('<name>', 'the Common Name, which is the identity: a cluster id')
    .option('--server', "for the broker's own address")
    .option('--operator', 'for a person who may see all and act for others')
    .option('--dns <names>', 'with --server: host names beside localhost (default: NAME)', collect)
    .option('--ip <addresses>', 'with --server: addresses beside 127.0.0.1 and ::1', collect)
    .option('--out <dir>', 'where to put it (default: DIR/NAME)')
    .option('--days <days>', 'how long it is valid', days, 365)
    .option('--force', 'replace what is there, as when renewing')
    .addHelpText(
      'after',
      examples(
        'bourse ca issue broker --server --dns broker.example.org --ip 192.0.2.10',
        'bourse ca issue rome --out ./rome-certs',
        'bourse ca issue rome --release bourse-system/bourse-broker',
        'bourse ca issue alice --operator --days 90',
      ),
    )
    .action((name: string, flags: Flags) => issue(name, flags, terminal))
}

async function issue(name: string, flags: Flags, terminal: Terminal): Promise<void> {
  const { dir, release, dns, ip, out = join(dir, name), days, force } = flags
  const role = roleOf(flags)
  const order = {
    ...{ name, role, days, out },
    ...(dns ? { dns } : {}),
    ...(ip ? { ip } : {}),
    ...(force ? { replace: true } : {}),
  }
  const issued = await withAuthority(flags, terminal, (authority) => authority.issue(order))
  const { record, names } = issued
  const where = names.length > 0 ? ` at ${names.join(', ')}` : ''
  terminal.out(`Made ${issued.out} for ${name} (${role})${where}, valid until ${record.expiresAt}.`)
  if (issued.isCutShort)
    terminal.note(`The authority in ${release ?? dir} expires then, before --days ${days}.`)
  terminal.note(`Next: ${nextStep(role, issued.out, terminal)}`)
}

function nextStep(role: Role, dir: string, terminal: Terminal): string {
  switch (role) {
    case 'server':
      return typedCommand(['broker', `--http-cert-path=${dir}`], {}, terminal)
    case 'cluster':
      return typedCommand(
        ['agent', '--broker-url=https://BROKER:8443', `--broker-cert-path=${dir}`],
        {},
        terminal,
      )
    case 'operator':
      return typedCommand(['clusters'], { certPath: dir }, terminal)
  }
}

function roleOf({ server, operator, dns, ip }: Flags): Role {
  if (server && operator)
    throw new CliError(ExitCode.usage, '--server and --operator exclude each other.')
  if (!server && (dns || ip))
    throw new CliError(ExitCode.usage, '--dns and --ip are for certificates with --server.')
  return server ? 'server' : operator ? 'operator' : 'cluster'
}
