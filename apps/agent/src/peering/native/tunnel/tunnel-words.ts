import { subnetsProblem } from '../liqo/subnets.ts'
import type { Bodies } from '../session/bodies.ts'

/** A WireGuard key is 32 bytes: 43 characters of base64 and one of padding. */
const KEY = /^[A-Za-z0-9+/]{43}=$/
const HOST = /^[A-Za-z0-9]([-A-Za-z0-9.:]*[A-Za-z0-9])?$/
const ADDRESSES_MAX = 16
const MTU_RANGE = [576, 9_000] as const

/** Why the end that a provider offers is invalid, if it is. */
export function gatewayProblem(said: Bodies['gateway']): string | undefined {
  const { addresses, port } = said.endpoint
  const [least, most] = MTU_RANGE
  if (!Array.isArray(addresses) || addresses.length === 0 || addresses.length > ADDRESSES_MAX)
    return 'it has no gateway address, or too many'
  const bad = addresses.find((one) => typeof one !== 'string' || !HOST.test(one))
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a valid gateway address`
  if (!isBetween(port, 1, 65_535)) return `${port} is not a valid port`
  if (!isBetween(said.mtu, least, most))
    return `${said.mtu} is not a valid MTU: use ${least} to ${most}`
  return subnetsProblem(said) ?? keyProblem(said.publicKey)
}

export function keyProblem(publicKey: string): string | undefined {
  return KEY.test(publicKey) ? undefined : 'its key is not a WireGuard key'
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}
