import { isIP } from 'node:net'
import { CLUSTER_ID_PATTERN } from '@bourse/contract/limits'
import { CliError, ExitCode } from '../terminal/cli-error.ts'

const HOST = /^(\*\.)?([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i
const HOST_LENGTH_MAX = 253

/** The Common Name is the identity: what no broker would accept is not issued. */
export function checkName(name: string): void {
  if (new RegExp(CLUSTER_ID_PATTERN).test(name)) return
  throw new CliError(
    ExitCode.usage,
    `${JSON.stringify(shortened(name))} cannot be a name: use lower-case letters, digits and ` +
      'hyphens, at most 63, beginning and ending with a letter or digit.',
    'For example: bourse ca issue rome',
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

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
