import { isBeingDeleted, isSameJson, type KubeClient } from '@bourse/kube'
import { SECRET } from '../../../kubernetes/kinds.ts'
import { makeObject } from '../../../kubernetes/make-object.ts'
import { isWrittenOff, UNREACHABLE_ANNOTATION } from '../liqo/foreign-cluster.ts'
import { type Identity, isUsable, lostAddress } from '../liqo/identity.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import { liqoTenantHome, type Neighbour } from '../liqo/liqo-tenant.ts'
import { type Secret, signedNonceSecret, textIn } from '../liqo/secrets.ts'
import type { Bodies } from '../session/bodies.ts'

export type RequesterObjects = ReturnType<typeof createRequesterObjects>

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get' | 'replace' | 'mergePatch'>
  objects: LiqoObjects
}>

/** What the requester's half makes in its own cluster. Each may be repeated. */
export function createRequesterObjects({ client, objects }: Ports) {
  return {
    namespace: (pair: Neighbour) => liqoTenantHome({ client, objects }, pair),
    /** Liqo's signature under exactly this nonce; one under an earlier nonce is thrown away. */
    async signature(
      nonce: Bodies['nonce'],
      { namespace, peer }: Readonly<{ namespace: string; peer: string }>,
    ): Promise<string | undefined> {
      const place = { namespace, liqoId: nonce.liqoID, peer }
      const wanted = signedNonceSecret(place, nonce.nonce)
      const known =
        objects.signedNonce(namespace) ?? (await makeObject<Secret>(client, SECRET, wanted))
      if (textIn(known, 'nonce') === nonce.nonce) return known.data?.signedNonce
      const labels = { ...known.metadata.labels, ...wanted.metadata.labels }
      const { data = {} } = wanted
      await client.replace<Secret>(SECRET, {
        ...known,
        metadata: { ...known.metadata, labels },
        data,
      })
      return undefined
    },
    /** An Identity for that id which was not made for this peer; it stays. */
    stranger(peer: string, liqoId: string): Identity | undefined {
      const namespace = objects.liqoTenantNamespace(liqoId)?.metadata.name ?? ''
      const known = objects.identity(namespace, liqoId)
      return known?.metadata.labels?.[LABEL.peer] === peer ? undefined : known
    },
    async identity(wanted: Identity): Promise<Identity> {
      const { namespace = '', labels, annotations } = wanted.metadata
      const known =
        objects.identity(namespace, wanted.spec?.clusterID ?? '') ??
        (await makeObject(client, LIQO.identity, wanted))
      if (isBeingDeleted(known) || isSameJson(known.spec, wanted.spec)) return known
      const patch = { spec: wanted.spec, metadata: { labels, annotations } }
      return client.mergePatch<Identity>(LIQO.identity, known.metadata, patch)
    },
    hasIdentity(namespace: string, liqoId: string): boolean {
      const known = objects.identity(namespace, liqoId)
      return known !== undefined && isUsable(known) && !isBeingDeleted(known)
    },
    /** Liqo renews the certificate by itself, and then knows nothing of what we were told. */
    async readdress(namespace: string, liqoId: string): Promise<void> {
      const known = objects.identity(namespace, liqoId)
      const apiServer = known && lostAddress(known)
      if (known && apiServer !== undefined)
        await client.mergePatch(LIQO.identity, known.metadata, {
          spec: { authParams: { apiServer } },
        })
    },
    /** A cluster that was given up as lost answers again. */
    async welcomeBack(liqoId: string): Promise<void> {
      const known = objects.foreignCluster(liqoId)
      if (!known || !isWrittenOff(known)) return
      const annotations = { [UNREACHABLE_ANNOTATION]: null }
      await client.mergePatch(LIQO.foreignCluster, known.metadata, { metadata: { annotations } })
    },
  }
}
