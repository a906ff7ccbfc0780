import type { KubeClient, KubeObject } from '@bourse/kube'

type Amounts = Readonly<Record<string, string>>
export type Node = KubeObject<
  Readonly<{ unschedulable?: boolean }>,
  Readonly<{
    allocatable: Amounts
    conditions: readonly Readonly<{ type: string; status: string }>[]
  }>
>
type LiqoQuota = KubeObject<Readonly<{ user: string; resources: Amounts; cordoned?: boolean }>>
type Pod = KubeObject<Readonly<{ nodeName?: string }>, Readonly<{ phase: string }>>

const core = (plural: string, kind: string, namespaced: boolean) => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const liqo = (group: string, plural: string, kind: string) => ({
  group: `${group}.liqo.io`,
  version: 'v1beta1',
  plural,
  kind,
  namespaced: true,
})
const NODE = core('nodes', 'Node', false)
const POD = core('pods', 'Pod', true)
const LIQO_QUOTA = liqo('offloading', 'quotas', 'Quota')
/** What one reservation consists of. */
const OF_RESERVATIONS = [
  liqo('authentication', 'resourceslices', 'ResourceSlice'),
  liqo('offloading', 'virtualnodes', 'VirtualNode'),
  liqo('offloading', 'shadowpods', 'ShadowPod'),
  LIQO_QUOTA,
]
/** What two clusters have beside that. */
const OF_PAIRS = [
  liqo('authentication', 'tenants', 'Tenant'),
  liqo('authentication', 'identities', 'Identity'),
]

export type LiqoLook = ReturnType<typeof lookAtLiqo>

/** What peerings consist of in one cluster. */
export function lookAtLiqo(client: Pick<KubeClient, 'list'>) {
  const all = async <T extends KubeObject>(kind: typeof NODE, labelSelector?: string) =>
    (await client.list<T>(kind, { labelSelector })).items
  const virtualNodes = () => all<Node>(NODE, 'liqo.io/type=virtual-node')
  const named = async (kinds: readonly (typeof NODE)[]) => {
    const found = await Promise.all(kinds.map((kind) => all(kind)))
    return found.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }
  return {
    virtualNodes,
    liqoQuotas: () => all<LiqoQuota>(LIQO_QUOTA),
    /** Offloaded pods, where they run. */
    guests: () => all<Pod>(POD, 'liqo.io/managed-by=shadowpod'),
    async ofReservations(): Promise<readonly string[]> {
      const nodes = (await virtualNodes()).map(({ metadata }) => `Node ${metadata.name}`)
      return [...(await named(OF_RESERVATIONS)), ...nodes]
    },
    ofPairs: () => named(OF_PAIRS),
  }
}

export function isReady({ status }: Node): boolean {
  return (
    status?.conditions.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  )
}
