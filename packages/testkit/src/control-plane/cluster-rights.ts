import type { ControlPlane } from './control-plane.ts'

const RBAC = 'rbac.authorization.k8s.io'
const apiVersion = `${RBAC}/v1`
const namespace = 'default'

/** Admits a cluster with the Kubernetes transport as docs/transports.md says, with no other rights. */
export async function grantClusterRights(
  { kubectl }: Pick<ControlPlane, 'kubectl'>,
  clusterId: string,
): Promise<void> {
  const metadata = { name: `bourse-cluster-${clusterId}`, namespace }
  const own = {
    apiVersion,
    kind: 'Role',
    metadata,
    rules: [
      {
        apiGroups: ['broker.fluidos.eu'],
        resources: ['clusteradvertisements'],
        resourceNames: [`cluster-${clusterId}`],
        verbs: ['get', 'update', 'patch', 'delete'],
      },
    ],
  }
  const items = [
    boundTo('clusters', { kind: 'ClusterRole', name: 'bourse-cluster' }, GROUP),
    own,
    boundTo(
      metadata.name,
      { kind: 'Role', name: metadata.name },
      { kind: 'User', name: clusterId },
    ),
  ]
  const list = { apiVersion: 'v1', kind: 'List', items }
  await kubectl(['apply', '--server-side', '--filename=-'], JSON.stringify(list))
}

type Named = Readonly<{ kind: string; name: string }>
const GROUP: Named = { kind: 'Group', name: 'bourse:clusters' }

function boundTo(name: string, role: Named, subject: Named) {
  return {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC, ...role },
    subjects: [{ apiGroup: RBAC, ...subject }],
  }
}
