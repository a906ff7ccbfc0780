type Amounts = Readonly<Record<string, string>>

/** The namespace whose pods may go to borrowed nodes; it must be told before they are made. */
export function offloading(namespace: string, provider: string): string {
  return JSON.stringify({
    apiVersion: 'offloading.liqo.io/v1beta1',
    kind: 'NamespaceOffloading',
    metadata: { name: 'offloading', namespace },
    spec: {
      namespaceMappingStrategy: 'DefaultName',
      podOffloadingStrategy: 'Remote',
      clusterSelector: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'liqo.io/remote-cluster-id', operator: 'In', values: [provider] },
            ],
          },
        ],
      },
    },
  })
}

type Workload = Readonly<{
  namespace: string
  replicas: number
  amounts: Amounts
  nodeSelector?: Readonly<Record<string, string>>
}>

/** A Deployment whose pods ask for this much each, and are limited to it. */
export function deployment(name: string, workload: Workload): string {
  const { namespace, replicas, amounts, nodeSelector } = workload
  const labels = { app: name }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'example.org/idle',
              resources: { requests: amounts, limits: amounts },
            },
          ],
          ...(nodeSelector && { nodeSelector }),
        },
      },
    },
  })
}

/** At least one pod of the Deployment of this name is to be up at any time. */
export function oneIsUp(name: string, namespace: string): string {
  return JSON.stringify({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
  })
}
