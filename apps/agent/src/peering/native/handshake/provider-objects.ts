import {
  ignoring,
  isBeingDeleted,
  isNotFound,
  isSameJson,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'
import { CORE_EVENT, SECRET } from '../../../kubernetes/kinds.ts'
import { makeObject, removeObject } from '../../../kubernetes/make-object.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import { type LiqoTenant, liqoTenant, liqoTenantHome, type Neighbour } from '../liqo/liqo-tenant.ts'
import { CERTIFICATE_NAME, NONCE_NAME, nonceSecret, type Secret, textIn } from '../liqo/secrets.ts'
import type { Bodies } from '../session/bodies.ts'

export type ProviderObjects = ReturnType<typeof createProviderObjects>

type Ports = Readonly<{
  client: Pick<KubeClient, 'create' | 'get' | 'list' | 'delete' | 'mergePatch'>
  objects: LiqoObjects
}>
type CoreEvent = KubeObject &
  Readonly<{ type?: string; reason?: string; message?: string; lastTimestamp?: string }>

/** What the provider's half makes in its own cluster, and takes away. Each may be repeated. */
export function createProviderObjects({ client, objects }: Ports) {
  return {
    namespace: (pair: Neighbour) => liqoTenantHome({ client, objects }, pair),
    /** What the other cluster must sign; Liqo makes it up. */
    async nonce(place: Neighbour & Readonly<{ namespace: string }>): Promise<string | undefined> {
      const known =
        objects.nonce(place.namespace) ??
        (await makeObject<Secret>(client, SECRET, nonceSecret(place)))
      return textIn(known, 'nonce')
    },
    /** A Tenant of that id which is not this peer's: made by hand, or for another cluster. */
    stranger(peer: string, liqoId: string): LiqoTenant | undefined {
      const known = objects.liqoTenant(liqoId)
      return known?.metadata.labels?.[LABEL.peer] === peer ? undefined : known
    },
    async liqoTenant(peer: string, namespace: string, said: Bodies['tenant']): Promise<LiqoTenant> {
      const { clusterID, signature } = said
      const bytes = (text: string) => Buffer.from(text).toString('base64')
      const [publicKey, csr] = [bytes(said.publicKey), bytes(said.csr)]
      const spec = { clusterID, publicKey, csr, signature }
      const wanted = liqoTenant({ namespace, peer, spec })
      const known = objects.liqoTenant(clusterID)
      if (known && (isBeingDeleted(known) || isSameJson(known.spec, { ...known.spec, ...spec })))
        return known
      // Liqo refuses for ever to certify another request than the one that it remembers.
      await forgetOther(namespace, csr)
      if (!known) return makeObject(client, LIQO.tenant, wanted)
      return client.mergePatch<LiqoTenant>(LIQO.tenant, known.metadata, { spec: wanted.spec })
    },
    /** The last thing that Liqo complained about: its status says nothing of a refusal. */
    async complaint({
      metadata,
    }: LiqoTenant): Promise<{ reason: string; message: string } | undefined> {
      const { name, namespace } = metadata
      const fieldSelector = `involvedObject.kind=Tenant,involvedObject.name=${name},type=Warning`
      const { items } = await client.list<CoreEvent>(CORE_EVENT, { namespace, fieldSelector })
      const last = items
        .toSorted((a, b) => (a.lastTimestamp ?? '').localeCompare(b.lastTimestamp ?? ''))
        .at(-1)
      return (
        last && { reason: last.reason ?? 'LiqoRefused', message: last.message ?? 'Liqo refuses' }
      )
    },
    /**
     * Takes a requester's Tenant and what Liqo leaves behind of it; true when it is gone. Never
     * before its slices are, unless it is dead: neither side could then take them away.
     */
    async remove(liqoId: string, namespace: string): Promise<boolean> {
      const known = objects.liqoTenant(liqoId)
      if (known && !isBeingDeleted(known)) await removeObject(client, LIQO.tenant, known.metadata)
      await removeObject(client, SECRET, { name: CERTIFICATE_NAME, namespace })
      return known === undefined
    },
    /** Copies of the requester's slices, here. */
    slices: (namespace: string, liqoId: string) => copies(LIQO.resourceSlice, namespace, liqoId),
    /**
     * Takes away the copies that the requester's namespaces have here, with all that is in them;
     * true when none is left. Liqo does so when it no longer knows which namespaces these are.
     */
    async removeNamespaces(namespace: string, liqoId: string): Promise<boolean> {
      const maps = await copies(LIQO.namespaceMap, namespace, liqoId)
      for (const map of maps)
        if (!isBeingDeleted(map)) await removeObject(client, LIQO.namespaceMap, map.metadata)
      return maps.length === 0
    },
    /** Last of all, since the nonce tells a later run that something may be left. */
    forget: (namespace: string) => removeObject(client, SECRET, { name: NONCE_NAME, namespace }),
  }

  async function copies(kind: Kind, namespace: string, liqoId: string) {
    const labelSelector = `${LABEL.origin}=${liqoId}`
    return (await client.list(kind, { namespace, labelSelector })).items
  }

  async function forgetOther(namespace: string, csr: string): Promise<void> {
    const ref = { name: CERTIFICATE_NAME, namespace }
    const known = await ignoring(isNotFound, client.get<Secret>(SECRET, ref.name, namespace))
    if (known && known.data?.csr !== csr) await removeObject(client, SECRET, ref)
  }
}
