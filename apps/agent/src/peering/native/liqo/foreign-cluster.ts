import type { KubeClient, KubeObject } from '@bourse/kube'
import { LIQO } from './liqo-kinds.ts'
import type { LiqoObjects } from './liqo-objects.ts'

type FcCondition = Readonly<{ type: string; status: string; reason?: string; message?: string }>

/** What Liqo knows of another cluster. Liqo never deletes it: that it is there says nothing. */
export type ForeignCluster = KubeObject<
  Readonly<{ clusterID?: string }>,
  Readonly<{
    apiServerUrl?: string
    conditions?: readonly FcCondition[]
    modules?: Readonly<{ networking?: Readonly<{ conditions?: readonly FcCondition[] }> }>
  }>
>

/** Says to Liqo that a cluster will never come back: it then forgets what it has there. */
export const UNREACHABLE_ANNOTATION = 'liqo.io/foreign-cluster-permanently-unreachable'

/** Why that cluster's API server is not reached from here; undefined while it is, or not known. */
export function unreachableBecause({ status }: ForeignCluster): string | undefined {
  const condition = status?.conditions?.find(({ type }) => type === 'APIServerStatus')
  if (!condition || condition.status === 'Established') return undefined
  const address = status?.apiServerUrl ?? 'its API server'
  return `${address} does not answer (${condition.message ?? condition.status})`
}

/** In Liqo's own words, when it says that the network to that cluster does not stand. */
export function networkComplaint(known: ForeignCluster | undefined): string | undefined {
  const conditions = known?.status?.modules?.networking?.conditions ?? []
  const met = conditions.find(({ type }) => type === 'NetworkConnectionStatus')
  if (!met || met.status === 'Established') return undefined
  return `Liqo says ${met.status}${met.message ? `: ${met.message}` : ''}`
}

export function isWrittenOff({ metadata }: ForeignCluster): boolean {
  return metadata.annotations?.[UNREACHABLE_ANNOTATION] === 'true'
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  objects: Pick<LiqoObjects, 'foreignCluster'>
}>

/** Gives a cluster up as lost: Liqo then forgets what it has there. */
export async function writeOff({ client, objects }: Ports, liqoId: string): Promise<void> {
  const known = objects.foreignCluster(liqoId)
  if (!known || isWrittenOff(known)) return
  const annotations = { [UNREACHABLE_ANNOTATION]: 'true' }
  await client.mergePatch(LIQO.foreignCluster, known.metadata, { metadata: { annotations } })
}
