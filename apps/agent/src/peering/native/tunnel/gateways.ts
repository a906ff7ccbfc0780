import { ignoring, isNotFound, type Kind, type KubeClient, type KubeObject } from '@bourse/kube'
import { SECRET } from '../../../kubernetes/kinds.ts'
import type { Secret } from '../liqo/secrets.ts'
import { isOurs } from '../liqo/tunnel-objects.ts'
import type { Stop } from '../session/messages.ts'
import type { NetworkEnd } from './network.ts'
import type { OwnObjects } from './own-objects.ts'
import type { TunnelState } from './tunnel-state.ts'

type Ports = Readonly<{ own: Pick<OwnObjects, 'remove'>; tunnel: TunnelState }>
type Gateways = Readonly<{
  /** Of the kind that this end would build. */
  mine: KubeObject | undefined
  /** Of the kind that calls the other way. */
  other: KubeObject | undefined
  otherKind: Kind
}>

/**
 * Two clusters that borrow from each other share one tunnel, which the older session builds. A
 * tunnel that was made by hand, or that is up already, is used as it is.
 */
export async function placeOfGateway(
  { own, tunnel }: Ports,
  end: NetworkEnd,
  { mine, other, otherKind }: Gateways,
): Promise<'free' | Readonly<{ taken: Stop | undefined }>> {
  const isLeft = other && (!isOurs(other) || !end.isBuilder || tunnel.isUp(end))
  if (isLeft) return { taken: tunnel.wait(end) }
  if (other) return { taken: await own.remove(otherKind, other) }
  const isForUs = end.isBuilder && (!mine || isOurs(mine))
  return isForUs ? 'free' : { taken: tunnel.wait(end) }
}

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
