import { apiVersionOf, type KubeObject } from '@bourse/kube'
import { LABEL, LIQO } from './liqo-kinds.ts'
import type { AuthParams } from './liqo-tenant.ts'

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

/** Where the provider's API server is, by its agent's word; Liqo may know another address. */
const ADDRESS_ANNOTATION = 'bourse.dev/api-server'

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
    apiVersion: apiVersionOf(LIQO.identity),
    kind: LIQO.identity.kind,
    metadata: {
      name: identityName(liqoId),
      namespace,
      labels: { [LABEL.remote]: liqoId, [LABEL.peer]: peer },
      annotations: { [ADDRESS_ANNOTATION]: authParams.apiServer ?? '' },
    },
    spec: { clusterID: liqoId, type: 'ControlPlane', authParams, namespace: remoteNamespace },
  }
}

/** The address that it should have: with a renewed certificate Liqo brings along its own. */
export function lostAddress({ metadata, spec }: Identity): string | undefined {
  const told = metadata.annotations?.[ADDRESS_ANNOTATION]
  return told && told !== spec?.authParams.apiServer ? told : undefined
}

export function isUsable({ status }: Identity): boolean {
  return Boolean(status?.kubeconfigSecretRef?.name)
}
