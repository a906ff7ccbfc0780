import type { Command } from 'commander'
import type { Authority } from '../../ca/authority.ts'
import {
  type KubernetesFlags,
  RELEASE,
  readRelease,
  withKubernetes,
  withReleaseSecrets,
} from '../../release/release.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export const DEFAULT_DIR = './pki'
export const DIR = ['--dir <dir>', "the authority's directory", DEFAULT_DIR] as const

export type AuthorityFlags = KubernetesFlags & Readonly<{ dir: string; release?: string }>

/** An authority in a directory, or the one that a Helm release keeps in a Secret. */
export function withPlace(command: Command): Command {
  return withKubernetes(
    command.option(...DIR).option(RELEASE, 'the authority of a Helm release instead of --dir'),
  )
}

export async function withAuthority<T>(
  flags: AuthorityFlags,
  terminal: Terminal,
  work: (authority: Authority) => Promise<T>,
): Promise<T> {
  const now = () => new Date(terminal.now())
  const { openAuthority } = await import('../../ca/authority.ts')
  if (flags.release === undefined) return work(openAuthority(flags.dir, now))
  const release = readRelease(flags.release)
  const { withReleaseAuthority } = await import('../../release/release-authority.ts')
  return withReleaseSecrets(release, flags, (secrets) =>
    withReleaseAuthority(release, { secrets, now }, work),
  )
}
