import { isIP } from 'node:net'

/** Where to listen; without a host, on every interface. */
export type DashboardAddress = Readonly<{ host?: string; port: number }>

/** Names and addresses that only this machine can be reached by. */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false
  const bare = host.toLowerCase()
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  if (bare === '::1' || bare === '::ffff:127.0.0.1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}

/**
 * Every client that reaches the port can read everything, so a token is required outside loopback.
 */
export function assertProtected(address: DashboardAddress, token: string | undefined): void {
  if (token !== undefined && token.length < TOKEN_LENGTH_MIN) throw new Error(TOKEN_TOO_SHORT)
  if (token !== undefined || isLoopback(address.host)) return
  throw new Error(
    `The live page will not listen on ${urlHost(address.host ?? '::')}:${address.port} without a ` +
      "token: put the operator's token into a file and give --dashboard-token-file=FILE, or keep " +
      'the page on this machine with --dashboard-bind-address=127.0.0.1:8090.',
  )
}

const TOKEN_LENGTH_MIN = 16
const TOKEN_TOO_SHORT =
  `The dashboard's token is shorter than ${TOKEN_LENGTH_MIN} characters and could be guessed: ` +
  'make one with `openssl rand -hex 24`.'

/** The address as a person types it into a browser. */
export function pageUrl(host: string | undefined, port: number): string {
  const isWildcard = host === undefined || host === '0.0.0.0' || host === '::'
  return `http://${isWildcard ? 'localhost' : urlHost(host)}:${port}/`
}

const urlHost = (host: string) => (isIP(host) === 6 ? `[${host}]` : host)
