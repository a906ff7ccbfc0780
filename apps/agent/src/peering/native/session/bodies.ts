import type { PeeringStep } from '@bourse/contract'
import type { AuthParams } from '../liqo/liqo-tenant.ts'
import type { Subnets } from '../liqo/subnets.ts'
import type { Endpoint } from '../liqo/tunnel-objects.ts'

/**
 * The sealed messages between two agents. A challenge is new for each session, and the answer
 * repeats it, so that an answer from an earlier session is not accepted.
 */
export type Bodies = {
  hello: Readonly<{
    liqoID: string
    liqoVersion?: string
    challenge: string
    /** With networking. This early, as a gateway takes longer to start than all else together. */
    subnets?: Subnets
  }>
  nonce: Readonly<{
    /** The one of `hello`. */
    echo: string
    challenge: string
    nonce: string
    tenantNamespace: string
    liqoID: string
    liqoPublicKey: string
  }>
  tenant: Readonly<{
    /** The one of `nonce`, as in all that the requester says after it. */
    echo: string
    clusterID: string
    /** PEM; so is the request. The signature is base64. */
    publicKey: string
    csr: string
    signature: string
  }>
  grant: Readonly<{ echo: string; authParams: AuthParams; tenantNamespace: string }>
  gateway: Readonly<{ echo: string }> & GatewayOffer
  tunnel: Readonly<{ echo: string; publicKey: string }>
  ready: Readonly<{ echo: string }>
  goodbye: Readonly<Record<string, never>>
}

/** The end that the requester's gateway calls: what is behind it, and the key that it answers with. */
type GatewayOffer = Subnets & Readonly<{ publicKey: string; endpoint: Endpoint; mtu: number }>

const TEXTS: Readonly<Record<PeeringStep, readonly string[]>> = {
  hello: ['liqoID', 'challenge'],
  nonce: ['echo', 'challenge', 'nonce', 'tenantNamespace', 'liqoID', 'liqoPublicKey'],
  tenant: ['echo', 'clusterID', 'publicKey', 'csr', 'signature'],
  grant: ['echo', 'tenantNamespace'],
  gateway: ['echo', 'publicKey'],
  tunnel: ['echo', 'publicKey'],
  ready: ['echo'],
  goodbye: [],
}
const TABLES: Readonly<Partial<Record<PeeringStep, readonly string[]>>> = {
  grant: ['authParams'],
  gateway: ['endpoint', 'podCIDRs', 'externalCIDRs'],
}

/** A body that has what its step needs; an agent of another make may have sent anything. */
export function bodyOf<S extends PeeringStep>(step: S, said: unknown): Bodies[S] | undefined {
  if (!isTable(said)) return undefined
  const hasTexts = TEXTS[step].every((name) => typeof said[name] === 'string' && said[name] !== '')
  const hasTables = (TABLES[step] ?? []).every((name) => isTable(said[name]))
  // Each field that the type has is one of those that were looked at, or optional.
  return hasTexts && hasTables ? (said as unknown as Bodies[S]) : undefined
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
