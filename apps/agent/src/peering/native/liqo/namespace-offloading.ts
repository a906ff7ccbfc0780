import type { Offload } from '@bourse/contract/kinds'
import { apiVersionOf, type KubeObject } from '@bourse/kube'
import { LABEL, LIQO, MANAGED_BY } from './liqo-kinds.ts'

export type Strategy = Offload['strategy']

type Requirement = Readonly<{ key: string; operator: string; values?: readonly string[] }>
type Term = Readonly<{ matchExpressions?: readonly Requirement[] }>
type RemoteCondition = Readonly<{
  type: string
  status: string
  reason?: string
  message?: string
}>

export type NamespaceOffloading = KubeObject<
  Readonly<{
    podOffloadingStrategy?: Strategy
    clusterSelector?: Readonly<{ nodeSelectorTerms?: readonly Term[] }>
    [field: string]: unknown
  }>,
  Readonly<{
    offloadingPhase?: string
    observedGeneration?: number
    /** By Liqo's id of the cluster. */
    remoteNamespacesConditions?: Readonly<Record<string, readonly RemoteCondition[]>>
  }>
>

/** What one reservation wants of a namespace: at which cluster, and how. */
export type Need = Readonly<{ cluster: string; strategy: Strategy }>
/** By reservation. */
export type Needs = Readonly<Record<string, Need>>

/** Liqo knows no other name for it. */
export const OFFLOADING_NAME = 'offloading'
const NEEDS_ANNOTATION = 'bourse.dev/reservations'

/** Any other was made by hand, and is left as it is. */
export function isOurs({ metadata }: NamespaceOffloading): boolean {
  return metadata.labels?.[LABEL.managedBy] === MANAGED_BY
}

/** Which reservations it is there for; one whose list was edited into nonsense is for none. */
export function needsIn({ metadata }: NamespaceOffloading): Needs {
  const written = metadata.annotations?.[NEEDS_ANNOTATION] ?? ''
  const entries = written.split(' ').map((entry) => entry.split('='))
  return Object.fromEntries(
    entries.flatMap(([id, cluster, strategy]) =>
      id && cluster && isStrategy(strategy) ? [[id, { cluster, strategy }]] : [],
    ),
  )
}

function isStrategy(text: string | undefined): text is Strategy {
  return text === 'Local' || text === 'Remote' || text === 'LocalAndRemote'
}

/** The clusters that it selects, as far as we have written that. */
export function clustersIn({ spec }: NamespaceOffloading): readonly string[] {
  const terms = spec?.clusterSelector?.nodeSelectorTerms ?? []
  const all = terms.flatMap(({ matchExpressions = [] }) => matchExpressions)
  return all.filter(({ key }) => key === LABEL.remote).flatMap(({ values = [] }) => values)
}

export type Wanted = Readonly<{ needs: Needs; clusters: readonly string[]; strategy: Strategy }>

/**
 * Clusters are selected whole. Liqo judges by one virtual node after the other, and the last one
 * decides for its cluster: with a selector that fits some of them it deletes the remote namespace.
 */
export function namespaceOffloading(
  namespace: string,
  { needs, clusters, strategy }: Wanted,
  before?: NamespaceOffloading,
): NamespaceOffloading {
  const values = [...new Set(clusters)].sort()
  const matchExpressions = [{ key: LABEL.remote, operator: 'In', values }]
  const { labels, annotations, ...metadata } = before?.metadata ?? {}
  return {
    apiVersion: apiVersionOf(LIQO.namespaceOffloading),
    kind: LIQO.namespaceOffloading.kind,
    metadata: {
      ...metadata,
      name: OFFLOADING_NAME,
      namespace,
      labels: { ...labels, [LABEL.managedBy]: MANAGED_BY },
      annotations: { ...annotations, [NEEDS_ANNOTATION]: written(needs) },
    },
    spec: {
      // Its own default, and it can never be changed: the remote name tells whose namespace it is.
      namespaceMappingStrategy: 'DefaultName',
      ...before?.spec,
      podOffloadingStrategy: strategy,
      clusterSelector: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  }
}

function written(needs: Needs): string {
  const entries = Object.entries(needs).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([id, { cluster, strategy }]) => `${id}=${cluster}=${strategy}`).join(' ')
}
