import type { Dispatcher } from 'undici'
import { ConnectionRefused } from '../connection/connection.ts'
import { type FieldCause, KubeError, type TimedOut } from './errors.ts'

/** A `Status` of the API server. */
export type StatusBody = Readonly<{
  message?: string
  reason?: string
  code?: number
  details?: Readonly<{ retryAfterSeconds?: number; causes?: readonly FieldCause[] }>
}>

const RETRY_AFTER_MAX_S = 3_600
const QUOTED_MAX = 300
const unsent = new WeakSet<object>()

/** Marks an error as raised while connecting, before anything was sent. */
export function markUnsent(error: Error): void {
  unsent.add(error)
}

export function wasUnsent(error: KubeError): boolean {
  return unsent.has(error) || (error.cause instanceof Error && unsent.has(error.cause))
}

type Headers = Dispatcher.ResponseData['headers']

type Answer = Readonly<{ status: number; text: string; headers: Headers; path: string }>

/** The error that an answer other than 2xx means. */
export function faultOfAnswer({ status, text, headers, path }: Answer): KubeError {
  const said = statusBodyOf(text)
  const message = said.message ?? unknownKind(status, path) ?? bare(status, text)
  return faultOfStatus({ ...said, message, code: status }, retryAfter(headers))
}

/** Also for an ERROR in a watch, which is a Status under HTTP 200. */
export function faultOfStatus(said: StatusBody, retryAfterSeconds?: number): KubeError {
  const status = said.code ?? 500
  return new KubeError(said.message ?? `The API server answered ${status}.`, {
    status,
    reason: said.reason ?? REASONS[status] ?? (status >= 500 ? 'InternalError' : 'Unknown'),
    retryAfterSeconds: retryAfterSeconds ?? said.details?.retryAfterSeconds,
    // The write may have been stored despite a 5xx: etcd timed out, or a proxy lost the answer.
    mayHaveHappened: status >= 500,
    causes: said.details?.causes ?? [],
  })
}

/** For proxies and old servers, whose answers lack a reason. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function statusBodyOf(text: string): StatusBody {
  if (!text.startsWith('{')) return {}
  const parsed = JSON.parse(text) as StatusBody & { kind?: string }
  return parsed.kind === 'Status' ? parsed : {}
}

/** For an unknown group or version, an API server answers a bare 404. */
function unknownKind(status: number, path: string): string | undefined {
  const [, group, version] = /^\/apis\/([^/]+)\/([^/?]+)/.exec(path) ?? []
  if (status !== 404 || group === undefined) return undefined
  return (
    `The API server does not serve ${group}/${version} (${path.split('?')[0]}): ` +
    'are the CRDs installed?'
  )
}

function bare(status: number, text: string): string {
  const said = text.trim().slice(0, QUOTED_MAX)
  return said === ''
    ? `The API server answered ${status}.`
    : `The API server answered ${status}: ${said}`
}

function retryAfter(headers: Headers): number | undefined {
  const header = headers['retry-after']
  const seconds = Number((Array.isArray(header) ? header[0] : header) ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds, RETRY_AFTER_MAX_S) : undefined
}

const TIMEOUTS: Readonly<Record<string, TimedOut>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
}
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/

/** What was thrown while asking `what` ("GET /api/v1/…") of `server`. */
export function nameFault(thrown: unknown, what: string, server: string): KubeError {
  if (thrown instanceof KubeError) return thrown
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = 'code' in cause ? String(cause.code) : ''
  if (cause instanceof ConnectionRefused)
    return new KubeError(`${what}: ${cause.message}`, { reason: 'NoCredentials', cause })
  const timedOut = TIMEOUTS[code]
  const mayHaveHappened = !unsent.has(cause)
  if (timedOut)
    return new KubeError(`${what} at ${server} timed out (${timedOut}).`, {
      reason: 'TimedOut',
      timedOut,
      mayHaveHappened,
      cause,
    })
  if (CERTIFICATE.test(code))
    return new KubeError(
      `The certificate of ${server} is not accepted (${cause.message}); ` +
        'check the certificate authority and the address in the kubeconfig.',
      { reason: 'CertificateRefused', cause },
    )
  if (cause instanceof SyntaxError || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new KubeError(`${server} did not answer ${what} like an API server.`, {
      reason: 'BadAnswer',
      mayHaveHappened,
      cause,
    })
  return new KubeError(`${what}: ${server} cannot be reached (${cause.message || code}).`, {
    reason: 'Unreachable',
    mayHaveHappened,
    cause,
  })
}
