import { execFile } from 'node:child_process'
import { ConnectionRefused } from './connection.ts'
import type { ClusterEntry, ExecEntry } from './kubeconfig.ts'

/** A plug-in's answer: a token, a certificate, or both. */
export type ExecStatus = Readonly<{
  token?: string
  clientCertificateData?: string
  clientKeyData?: string
  expirationTimestamp?: string
}>

export type ExecCredential = { current(): Promise<ExecStatus>; forget(): void }

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const RUN_MAX_MS = 60_000
const OUTPUT_BYTES_MAX = 1024 * 1024
const QUOTED_MAX = 300
/** Renew this long before expiry, so that none expires on its way to the server. */
const RENEW_BEFORE_MS = 30_000

type Ports = Readonly<{
  exec: ExecEntry
  cluster: ClusterEntry
  env: NodeJS.ProcessEnv
  now(): number
}>

/** Runs the plug-in once for all callers, and again when its answer expires or is refused. */
export function createExecCredential({ exec, cluster, env, now }: Ports): ExecCredential {
  checkUsable(exec)
  let running: Promise<ExecStatus> | undefined
  let cached: { status: ExecStatus; until: number } | undefined

  async function renew(): Promise<ExecStatus> {
    const status = statusOf(await run(exec, cluster, env), exec)
    const ends = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Number.NaN
    // Without an expiry it is used until the server refuses it.
    const until = Number.isNaN(ends) ? Number.POSITIVE_INFINITY : ends - RENEW_BEFORE_MS
    cached = { status, until }
    return status
  }

  return {
    current() {
      if (cached && now() < cached.until) return Promise.resolve(cached.status)
      running ??= renew().finally(() => {
        running = undefined
      })
      return running
    },
    forget() {
      cached = undefined
    },
  }
}

function checkUsable({ command, apiVersion, interactiveMode }: ExecEntry): void {
  if (!API_VERSIONS.includes(apiVersion ?? ''))
    throw new ConnectionRefused(
      `The plug-in ${command} uses ${apiVersion ?? 'no apiVersion'}; ` +
        `only ${API_VERSIONS.join(' and ')} are supported.`,
    )
  if (interactiveMode === 'Always')
    throw new ConnectionRefused(
      `The plug-in ${command} needs a terminal (interactiveMode: Always), ` +
        'which is not available here; use a service account or a certificate.',
    )
}

function run(exec: ExecEntry, cluster: ClusterEntry, env: NodeJS.ProcessEnv): Promise<string> {
  const added = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]))
  const KUBERNETES_EXEC_INFO = JSON.stringify({
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster: toldOf(cluster) } : {}) },
  })
  return new Promise((answer, fail) => {
    const options = {
      env: { ...env, ...added, KUBERNETES_EXEC_INFO },
      timeout: RUN_MAX_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    }
    const child = execFile(exec.command, exec.args ?? [], options, (error, stdout, stderr) => {
      if (error) fail(failed(exec, error, stderr))
      else answer(stdout)
    })
    child.stdin?.end()
  })
}

function failed(exec: ExecEntry, cause: Error & { code?: unknown }, stderr: string) {
  const hint = cause.code === 'ENOENT' && exec.installHint ? ` ${exec.installHint}` : ''
  const said = stderr.trim().slice(-QUOTED_MAX)
  return new ConnectionRefused(
    `The plug-in ${exec.command} returned no credentials: ${said === '' ? cause.message : said}${hint}`,
    { cause },
  )
}

function toldOf(cluster: ClusterEntry) {
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
  }
}

function statusOf(stdout: string, { command, apiVersion }: ExecEntry): ExecStatus {
  const answer = parsed(stdout, command)
  if (answer.kind !== 'ExecCredential' || answer.apiVersion !== apiVersion)
    throw new ConnectionRefused(
      `The plug-in ${command} answered ${answer.apiVersion} ${answer.kind}, ` +
        `but ${apiVersion} ExecCredential was expected.`,
    )
  const { status } = answer
  if (!status?.token && !(status?.clientCertificateData && status.clientKeyData))
    throw new ConnectionRefused(
      `The plug-in ${command} answered with neither a token nor a certificate and its key.`,
    )
  return status
}

type Answer = { kind?: string; apiVersion?: string; status?: ExecStatus }

function parsed(stdout: string, command: string): Answer {
  try {
    return JSON.parse(stdout) as Answer
  } catch (cause) {
    throw new ConnectionRefused(`The plug-in ${command} did not answer in JSON.`, { cause })
  }
}
