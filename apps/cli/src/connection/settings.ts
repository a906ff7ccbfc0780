import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

export type ConnectionSettings = Readonly<{ brokerUrl: string; certPath: string }>

export type ConnectionFlags = Readonly<{ brokerUrl?: string; certPath?: string }>

type Env = Readonly<Record<string, string | undefined>>

export const DEFAULT_URL = 'https://127.0.0.1:8443'
const KEYS = ['broker-url', 'cert-path']

/** Where the broker is and who we are: flag before variable before file before default. */
export async function readSettings(flags: ConnectionFlags, env: Env): Promise<ConnectionSettings> {
  const file = await readSettingsFile(env)
  const certPath = flags.certPath ?? (env.BOURSE_CERT_PATH || file.certPath)
  if (certPath === undefined)
    throw new CliError(
      ExitCode.usage,
      'Which certificate? The broker identifies callers by their certificate.',
      'Give --cert-path=DIR (tls.crt, tls.key, ca.crt) or BOURSE_CERT_PATH; ' +
        '`bourse ca issue NAME` makes such a directory, `bourse login` takes one from Kubernetes.',
    )
  const brokerUrl = flags.brokerUrl ?? (env.BOURSE_BROKER_URL || (file.brokerUrl ?? DEFAULT_URL))
  const wrong = brokerUrl.split(',').find((url) => URL.parse(url.trim())?.protocol !== 'https:')
  if (wrong !== undefined)
    throw new CliError(
      ExitCode.usage,
      `${JSON.stringify(wrong)} is not the address of a broker.`,
      'Give --broker-url=https://HOST:PORT, or several with commas.',
    )
  return { brokerUrl, certPath }
}

/** BOURSE_CONFIG, else config.yaml where the XDG rules put it. */
export function settingsPath(env: Env): string {
  if (env.BOURSE_CONFIG) return env.BOURSE_CONFIG
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'bourse', 'config.yaml')
}

export async function readSettingsFile(env: Env): Promise<ConnectionFlags> {
  const path = settingsPath(env)
  if (!existsSync(path)) {
    if (!env.BOURSE_CONFIG) return {}
    throw new CliError(ExitCode.usage, `BOURSE_CONFIG names ${path}, and there is no such file.`)
  }
  const { parseDocument } = await import('yaml')
  const document = parseDocument(readFileSync(path, 'utf8'))
  const content: unknown = document.errors.length > 0 ? undefined : document.toJS()
  const problem = document.errors[0]?.message.split('\n')[0] ?? wrongKey(content)
  if (problem !== undefined) throw new CliError(ExitCode.usage, `${path}: ${problem}`)
  // `wrongKey` has just looked at every key and value.
  const table = (content ?? {}) as Readonly<Record<string, string>>
  const certPath = table['cert-path']
  return {
    ...(table['broker-url'] === undefined ? {} : { brokerUrl: table['broker-url'] }),
    // Relative to the file, so that both can be moved together.
    ...(certPath === undefined ? {} : { certPath: resolve(dirname(path), certPath) }),
  }
}

function wrongKey(content: unknown): string | undefined {
  const allowed = `the keys are ${KEYS.join(' and ')}, with texts as values.`
  if (content === null || content === undefined) return undefined
  if (typeof content !== 'object' || Array.isArray(content)) return allowed
  const wrong = Object.entries(content).find(
    ([key, value]) => !KEYS.includes(key) || typeof value !== 'string',
  )
  return wrong ? `${wrong[0]} is not a known setting; ${allowed}` : undefined
}
