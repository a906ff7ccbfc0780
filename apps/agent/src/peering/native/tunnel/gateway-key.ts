import { ignoring, isNotFound, type KubeClient, type KubeObject } from '@bourse/kube'
import { SECRET } from '../../../kubernetes/kinds.ts'
import type { Secret } from '../liqo/secrets.ts'

type Gateway = KubeObject<
  unknown,
  Readonly<{ secretRef?: Readonly<{ name?: string; namespace?: string }> }>
>

/** The public key of a gateway of this cluster; undefined while Liqo is making it up. */
export async function gatewayKey(
  client: Pick<KubeClient, 'get'>,
  { metadata, status }: Gateway,
): Promise<string | undefined> {
  const { name, namespace = metadata.namespace } = status?.secretRef ?? {}
  if (name === undefined) return undefined
  const secret = await ignoring(isNotFound, client.get<Secret>(SECRET, name, namespace))
  return secret?.data?.publicKey
}
