import {
  BadAnswer,
  type BrokerFault,
  BrokerUnreachable,
  ClientClosed,
  IdentityRefused,
  isBrokerFault,
  type TimedOut,
} from '../communicator/errors.ts'

const TIMEOUTS: Readonly<Record<string, TimedOut>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
}

const TIMEOUT_WORDS: Readonly<Record<TimedOut, string>> = {
  connect: 'did not accept the connection in time',
  headers: 'accepted the request but did not answer in time',
  body: 'stopped in the middle of its answer',
}

/** Before there was a connection, so before anything was sent. */
const UNSENT =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/

/** Codes of OpenSSL and Node for a certificate of the broker that we do not trust. */
const NOT_TRUSTED =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)/
const WRONG_ADDRESS = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/

/** The broker's certificate is invalid for every client. */
const OPERATORS_FAULT: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired: its operator must renew it',
  INVALID_PURPOSE: 'is for clients, not for a broker: its operator must replace it',
}

/** OpenSSL's codes for an answer in plain text. */
const NO_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/

/** TLS alerts by which a server says why it does not accept our certificate. */
const ALERTS: readonly (readonly [RegExp, string])[] = [
  [/ALERT_CERTIFICATE_REVOKED$/, 'it has been revoked'],
  [/ALERT_CERTIFICATE_EXPIRED$/, 'it has expired'],
  [/ALERT_UNKNOWN_CA$/, 'it was issued by an unknown authority'],
]

/** There was no answer until our timeout, or the kernel's. */
export function isSilence(thrown: unknown): boolean {
  const code = codeOf(thrown)
  return code in TIMEOUTS || code === 'EHOSTUNREACH'
}

export type NameFault = (origin: string, thrown: unknown) => BrokerFault

/** Turns what a transport throws into a `BrokerFault`. `ownFlaw`: what is wrong with our certificate. */
export function createFaultNaming(ownFlaw: () => string | undefined): NameFault {
  return (origin, thrown) => {
    if (isBrokerFault(thrown)) return thrown
    const code = codeOf(thrown)
    if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
      return new ClientClosed(undefined, { cause: thrown })
    const timedOut = TIMEOUTS[code]
    if (timedOut)
      return new BrokerUnreachable(`The broker at ${origin} ${TIMEOUT_WORDS[timedOut]}.`, {
        cause: thrown,
        timedOut,
        isUnsent: UNSENT.test(code),
      })
    const refused = refusalOf(origin, code, thrown)
    if (refused) return refused
    if (NO_TLS.test(code))
      return new BrokerUnreachable(`${origin} does not use TLS, so it is not a broker.`, {
        cause: thrown,
        isUnsent: true,
      })
    if (thrown instanceof SyntaxError || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
      return new BadAnswer(`${origin} did not answer like a broker: ${wordsOf(thrown)}.`, {
        cause: thrown,
      })
    if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
      return closedOn(origin, ownFlaw(), thrown)
    return new BrokerUnreachable(`The broker at ${origin} cannot be reached: ${wordsOf(thrown)}.`, {
      cause: thrown,
      isUnsent: UNSENT.test(code),
    })
  }
}

/** One side does not accept the other's certificate, and says so. */
function refusalOf(origin: string, code: string, cause: unknown): IdentityRefused | undefined {
  const operatorsFault = OPERATORS_FAULT[code]
  if (operatorsFault)
    return new IdentityRefused(`The certificate of ${origin} ${operatorsFault}.`, {
      cause,
      isForOperator: true,
    })
  if (NOT_TRUSTED.test(code))
    return new IdentityRefused(
      `The certificate of ${origin} is not trusted here: ${wordsOf(cause)}.`,
      { cause, isWrongAddress: WRONG_ADDRESS.test(code) },
    )
  if (!/^ERR_(SSL|TLS)/.test(code) || NO_TLS.test(code)) return undefined
  const [, why] = ALERTS.find(([alert]) => alert.test(code)) ?? []
  return new IdentityRefused(
    `${origin} did not accept our certificate${why ? `: ${why}` : ` (${code})`}.`,
    { cause },
  )
}

/** A Node server that does not accept a certificate closes the connection without an alert. */
function closedOn(origin: string, flaw: string | undefined, cause: unknown): BrokerFault {
  if (flaw)
    return new IdentityRefused(`${origin} did not accept our certificate: ${flaw}.`, { cause })
  return new BrokerUnreachable(
    `${origin} closed the connection without an answer. A broker also does that if it does not ` +
      'accept the certificate.',
    { cause, isMaybeIdentity: true },
  )
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return ''
  // `code` is not part of Error's type; Node and undici put it there.
  const { code } = thrown as Error & { code?: unknown }
  return typeof code === 'string' ? code : codeOf(thrown.cause)
}

function wordsOf(thrown: unknown): string {
  // Happy eyeballs: one error for each address tried, and an empty message over them.
  if (thrown instanceof AggregateError && thrown.message === '') return wordsOf(thrown.errors[0])
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  return words.trim().replace(/\.$/, '')
}
