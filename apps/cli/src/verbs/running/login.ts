import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DEFAULT_URL, readSettingsFile, settingsPath } from '../../connection/settings.ts'
import { prepareDirectory, replaceFile } from '../../files/directory.ts'
import {
  type KubernetesFlags,
  RELEASE,
  type Release,
  readRelease,
  withKubernetes,
  withReleaseSecrets,
} from '../../release/release.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { type Define, examples } from '../../terminal/verb.ts'

type Flags = KubernetesFlags & Readonly<{ release: string; brokerUrl: string; force?: boolean }>

const OWNER_ONLY = 0o600

export const define: Define = (command, terminal) => {
  command.option(RELEASE, 'the release of charts/bourse-broker', 'bourse-system/bourse-broker')
  withKubernetes(command)
    .option('--broker-url <url>', 'where the broker will be reached', DEFAULT_URL)
    .option('--force', 'also when the settings name another certificate')
    .addHelpText(
      'after',
      examples(
        'bourse login --release bourse-system/bourse-broker',
        'bourse login --context production --broker-url https://broker.example.org:8443',
      ),
    )
    .action((flags: Flags) => login(flags, terminal))
}

/** What Kubernetes lets the caller read is what makes an operator. */
async function login(flags: Flags, terminal: Terminal): Promise<void> {
  const release = readRelease(flags.release)
  // Whole: what the file says is relative to the file.
  const settings = resolve(settingsPath(terminal.env))
  const certPath = join(dirname(settings), `${release.namespace}.${release.name}`)
  if (!flags.force) await refuseToReplace(settings, certPath, terminal)
  const files = await operatorOf(release, flags)
  prepareDirectory(certPath, 0o700)
  for (const [name, text] of Object.entries(files))
    replaceFile(join(certPath, name), text, OWNER_ONLY)
  // As JSON, which YAML reads: a path may have a # or a colon.
  const [url, path] = [flags.brokerUrl, certPath].map((text) => JSON.stringify(text))
  replaceFile(settings, `broker-url: ${url}\ncert-path: ${path}\n`)
  const { validTo } = new X509Certificate(files['tls.crt'])
  terminal.out(
    `Wrote ${settings} and ${certPath}: an operator's certificate, valid until ${validTo}.`,
  )
  if (flags.brokerUrl === DEFAULT_URL) terminal.note(`Next: ${portForward(release)}`)
}

type Bundle = Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string>>

async function operatorOf(release: Release, flags: Flags): Promise<Bundle> {
  const { namespace, secrets: names } = release
  const found = await withReleaseSecrets(release, flags, (secrets) => secrets.read(names.operator))
  const { 'tls.crt': crt, 'tls.key': key, 'ca.crt': ca } = found
  if (crt && key && ca) return { 'tls.crt': crt, 'tls.key': key, 'ca.crt': ca }
  throw new CliError(
    ExitCode.notFound,
    `The Secret ${namespace}/${names.operator} is still empty: the chart's Job has not filled it.`,
    `Try again in a moment; \`kubectl -n ${namespace} get jobs,pods\` shows whether the Job runs.`,
  )
}

async function refuseToReplace(settings: string, certPath: string, { env }: Terminal) {
  if (!existsSync(settings)) return
  const { certPath: named = certPath } = await readSettingsFile(env)
  if (named === certPath) return
  throw new CliError(
    ExitCode.usage,
    `${settings} names another certificate, in ${named}.`,
    'Replace it with --force, or keep this login apart with BOURSE_CONFIG=FILE.',
  )
}

/** To the leader, which the Service selects. */
function portForward({ namespace, name }: Release): string {
  return `kubectl -n ${namespace} port-forward service/${name} 8443:https &`
}
