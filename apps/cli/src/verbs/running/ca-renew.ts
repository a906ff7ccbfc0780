import type { Command } from 'commander'
import {
  type KubernetesFlags,
  RELEASE,
  readRelease,
  withKubernetes,
  withReleaseSecrets,
} from '../../release/release.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { examples } from '../../terminal/verb.ts'
import { collect, days } from './ca-issue.ts'

const DEFAULT_DAYS = 90

type Flags = KubernetesFlags &
  Readonly<{ release: string; names?: readonly string[]; days?: number }>

/** `bourse ca renew`: the chart runs it once, and then every day. */
export function defineRenew(command: Command, terminal: Terminal): void {
  command
    .description('make and renew the certificates of a Helm release, in its Secrets')
    .requiredOption(RELEASE, 'the release of charts/bourse-broker')
  withKubernetes(command)
    .option('--names <names>', 'host names and addresses of the broker beside loopback', collect)
    .option('--days <days>', 'how long they are valid; renewed at a third', days, DEFAULT_DAYS)
    .addHelpText('after', examples('bourse ca renew --release bourse-system/bourse-broker'))
    .action((flags: Flags) => renew(flags, terminal))
}

/** Also after a revocation: the broker needs the list, and the operator a new certificate. */
export async function renew(flags: Flags, terminal: Terminal): Promise<void> {
  const { names = [], days = DEFAULT_DAYS } = flags
  const release = readRelease(flags.release)
  const { renewRelease } = await import('../../release/release-authority.ts')
  const now = () => new Date(terminal.now())
  const renewals = await withReleaseSecrets(release, flags, (secrets) =>
    renewRelease(release, { secrets, now }, { names, days }),
  )
  for (const { secret, why, expiresAt } of renewals) {
    const done = why === undefined ? 'kept' : `made: the certificate ${why}`
    terminal.out(`${secret} ${done}; valid until ${expiresAt.toISOString()}.`)
  }
}
