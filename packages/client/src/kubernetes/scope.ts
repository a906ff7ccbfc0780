import { BROKER_GROUP } from '@bourse/contract/names'
import type { KubeClient } from '@bourse/kube'

type Review = Readonly<{ status?: Readonly<{ allowed?: boolean }> }>

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/**
 * The namespaces to watch for reservations: all, if the role allows it, since teams may reserve for
 * the cluster from their own namespaces; otherwise only the cluster's own.
 */
export function createScope(
  client: Pick<KubeClient, 'raw'>,
  namespace: string,
): () => Promise<string | undefined> {
  let found: Readonly<{ namespace: string | undefined }> | undefined

  return async () => {
    found ??= { namespace: (await mayWatchAll(client)) ? undefined : namespace }
    return found.namespace
  }
}

async function mayWatchAll(client: Pick<KubeClient, 'raw'>): Promise<boolean> {
  const resourceAttributes = { group: BROKER_GROUP, resource: 'reservations', verb: 'watch' }
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  }
  const { status } = await client.raw<Review>('POST', REVIEWS, review)
  return status?.allowed === true
}
