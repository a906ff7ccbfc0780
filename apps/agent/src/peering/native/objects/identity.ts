import { apiVersionOf, type KubeObject } from '@bourse/kube'
import { IDENTITY, PEER_LABEL, REMOTE_LABEL } from '../liqo-kinds.ts'
import type { AuthParams } from './tenant.ts'

export type Identity = KubeObject<
  Readonly<{
    clusterID: string
    type: 'ControlPlane' | 'ResourceSlice'
    authParams: AuthParams
    namespace?: string
  }>,
  Readonly<{ kubeconfigSecretRef?: Readonly<{ name?: string }> }>
>

type Granted = Readonly<{
  namespace: string
  /** The provider, by its certificate and by Liqo's id. */
  peer: string
  liqoId: string
  authParams: AuthParams
  remoteNamespace: string
}>

export function identityName(liqoId: string): string {
  return `controlplane-${liqoId}`
}

/** Liqo makes a kubeconfig of it, and with that begins to replicate. */
export function identity({
  namespace,
  peer,
  liqoId,
  authParams,
  remoteNamespace,
}: Granted): Identity {
  return {
    apiVersion: apiVersionOf(IDENTITY),
    kind: IDENTITY.kind,
    metadata: {
      name: identityName(liqoId),
      namespace,
      labels: { [REMOTE_LABEL]: liqoId, [PEER_LABEL]: peer },
    },
    spec: { clusterID: liqoId, type: 'ControlPlane', authParams, namespace: remoteNamespace },
  }
}

export function isUsable({ status }: Identity): boolean {
  return Boolean(status?.kubeconfigSecretRef?.name)
}
