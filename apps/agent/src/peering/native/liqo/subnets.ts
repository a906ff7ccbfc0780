import { isIP } from 'node:net'
import type { KubeClient, KubeObject } from '@bourse/kube'
import { LIQO } from './liqo-kinds.ts'

/** What is behind one end of a tunnel, as CIDRs. */
export type Subnets = Readonly<{ podCIDRs: readonly string[]; externalCIDRs: readonly string[] }>

type LiqoNetwork = KubeObject<unknown, Readonly<{ cidr?: string }>>

/** More than any cluster has; each becomes routes on every node. */
const SUBNETS_MAX = 16
/** A shorter prefix would claim other clusters' networks as well. */
const PREFIX_MIN: Readonly<Record<number, number>> = { 4: 8, 6: 16 }
const PREFIX_MAX: Readonly<Record<number, number>> = { 4: 32, 6: 128 }

/** What Liqo's IPAM says is behind our end; undefined while it does not, or without its networking. */
export async function readOwnSubnets(
  client: Pick<KubeClient, 'list'>,
  liqoNamespace: string,
): Promise<Subnets | undefined> {
  const cidrsOf = async (type: string) => {
    const labelSelector = `ipam.liqo.io/network-type=${type}`
    const options = { namespace: liqoNamespace, labelSelector }
    const { items } = await client.list<LiqoNetwork>(LIQO.network, options)
    return items.map(({ status }) => status?.cidr ?? '')
  }
  const podCIDRs = await cidrsOf('pod-cidr')
  const externalCIDRs = await cidrsOf('external-cidr')
  // Liqo itself goes on only when it has mapped all of them.
  const isWhole = (all: readonly string[]) => all.length > 0 && all.every((cidr) => cidr !== '')
  return isWhole(podCIDRs) && isWhole(externalCIDRs) ? { podCIDRs, externalCIDRs } : undefined
}

/** Where `readOwnSubnets` finds none. */
export const NO_SUBNETS =
  'Liqo here has no pod networks: is its networking module on? Otherwise ' +
  '--peering-networking=none does without.'

/** Why the subnets that another cluster claims are invalid, if they are. */
export function subnetsProblem(said: Partial<Subnets> | undefined): string | undefined {
  for (const name of ['podCIDRs', 'externalCIDRs'] as const) {
    const all: unknown = said?.[name]
    if (!Array.isArray(all) || all.length === 0) return `it has no ${name}`
    if (all.length > SUBNETS_MAX) return `it has more than ${SUBNETS_MAX} ${name}`
    const bad = all.find((cidr) => !isCidr(cidr))
    if (bad !== undefined)
      return `${JSON.stringify(bad)} in its ${name} is not a valid cluster network`
  }
  return undefined
}

function isCidr(text: unknown): boolean {
  const [, address = '', length] = /^([^/]+)\/(\d{1,3})$/.exec(String(text)) ?? []
  const family = isIP(address)
  const prefix = Number(length)
  return prefix >= (PREFIX_MIN[family] ?? Infinity) && prefix <= (PREFIX_MAX[family] ?? 0)
}
