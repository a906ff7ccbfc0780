import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { CLUSTER_ID_PATTERN } from '@bourse/contract/limits'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

const HOST = /^(\*\.)?([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i
const HOST_LENGTH_MAX = 253

/** The Common Name is the identity. A name that no broker accepts is not issued. */
export function checkName(name: string): void {
  if (new RegExp(CLUSTER_ID_PATTERN).test(name)) return
  throw new CliError(
    ExitCode.usage,
    `${JSON.stringify(shortened(name))} is not a valid name: use lower-case letters, digits and ` +
      'hyphens, at most 63, beginning and ending with a letter or digit.',
    'For example: `bourse ca issue rome`.',
  )
}

export function checkAddresses(dns: readonly string[], ip: readonly string[]): void {
  const badHost = dns.find((host) => host.length > HOST_LENGTH_MAX || !HOST.test(host))
  if (badHost !== undefined)
    throw new CliError(ExitCode.usage, `--dns ${shortened(badHost)} is not a host name.`)
  const badIp = ip.find((address) => isIP(address) === 0)
  if (badIp !== undefined)
    throw new CliError(ExitCode.usage, `--ip ${shortened(badIp)} is not an IP address.`)
}

/** What the certificate there is for; nothing where there is none. */
export function addressesIn(path: string): Readonly<{ dns?: string[]; ip?: string[] }> {
  if (!existsSync(path)) return {}
  const { subjectAltName = '' } = new X509Certificate(readFileSync(path))
  const named = (kind: string) =>
    subjectAltName
      .split(', ')
      .filter((one) => one.startsWith(kind))
      .map((one) => one.slice(kind.length))
  return { dns: named('DNS:'), ip: named('IP Address:').map(shortForm) }
}

/** OpenSSL writes all of an IPv6 address: beside `::1` it would look like another one. */
function shortForm(address: string): string {
  return isIPv6(address) ? new URL(`https://[${address}]`).hostname.slice(1, -1) : address
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
