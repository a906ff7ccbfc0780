import { createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  isSameJson,
  removeFinalizer,
} from '@bourse/kube'
import { CORE_EVENT, SECRET } from '../../../kubernetes/kinds.ts'
import { type ForeignCluster, isWrittenOff } from '../liqo/foreign-cluster.ts'
import type { Identity } from '../liqo/identity.ts'
import { FOREIGN_CLUSTER, IDENTITY, LIQO_TENANT, REMOTE_LABEL } from '../liqo/liqo-kinds.ts'
import type { LiqoTenant } from '../liqo/liqo-tenant.ts'
import {
  CERTIFICATE_NAME,
  NONCE_NAME,
  type Secret,
  SIGNED_NONCE_NAME,
  textIn,
} from '../liqo/secrets.ts'
import type { FakeLiqo, FakeWorld } from './fake-liqo.fixture.ts'

const FINALIZER = 'tenant.liqo.io/finalizer'
/** Of its kubeconfig, really, for which an Identity waits that goes. */
const REPLICATOR = 'crdreplicator.liqo.io/operator'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const textOf = (bytes: string) => Buffer.from(bytes, 'base64').toString()

/** Nonces, signatures, Tenants and Identities. */
export async function authenticate(liqo: FakeLiqo, world: FakeWorld): Promise<void> {
  for (const secret of liqo.cluster.all<Secret>(SECRET)) await lookAtSecret(liqo, secret)
  for (const tenant of liqo.cluster.all<LiqoTenant>(LIQO_TENANT))
    await lookAtLiqoTenant(liqo, world, tenant)
  for (const identity of liqo.cluster.all<Identity>(IDENTITY))
    await lookAtIdentity(liqo, world, identity)
}

async function lookAtSecret({ cluster, key }: FakeLiqo, secret: Secret): Promise<void> {
  const { name } = secret.metadata
  if (name === NONCE_NAME && textIn(secret, 'nonce') === undefined)
    await fill(secret, { nonce: base64(randomBytes(64).toString('base64')) })
  const nonce = textIn(secret, 'nonce')
  if (name !== SIGNED_NONCE_NAME || nonce === undefined) return
  if (secret.data?.signedNonce === undefined)
    await fill(secret, { signedNonce: sign('sha256', Buffer.from(nonce), key).toString('base64') })

  async function fill(object: Secret, more: Record<string, string>): Promise<void> {
    await cluster.client.replace<Secret>(SECRET, { ...object, data: { ...object.data, ...more } })
  }
}

async function lookAtLiqoTenant(
  liqo: FakeLiqo,
  world: FakeWorld,
  tenant: LiqoTenant,
): Promise<void> {
  const { client } = liqo.cluster
  if (isBeingDeleted(tenant))
    return removeFinalizer({ client, kind: LIQO_TENANT }, tenant, FINALIZER)
  if (!hasFinalizer(tenant, FINALIZER)) {
    await client.mergePatch(LIQO_TENANT, tenant.metadata, { metadata: { finalizers: [FINALIZER] } })
    return
  }
  const { spec } = tenant
  const { namespace = '' } = tenant.metadata
  const nonce = liqo.cluster
    .all<Secret>(SECRET)
    .find(({ metadata }) => metadata.name === NONCE_NAME && metadata.namespace === namespace)
  const text = nonce && textIn(nonce, 'nonce')
  if (!spec || text === undefined) return complain(liqo, tenant, 'NonceNotFound')
  const publicKey = createPublicKey(textOf(spec.publicKey))
  if (!verify('sha256', Buffer.from(text), publicKey, Buffer.from(spec.signature, 'base64')))
    return complain(liqo, tenant, 'SignatureVerificationFailed')
  if (!(await isRemembered(liqo, namespace, spec.csr)))
    return complain(liqo, tenant, 'AuthParamsFailed')
  const certified = world.certificates.get(
    String(publicKey.export({ type: 'spki', format: 'pem' })),
  )
  const authParams = {
    ca: base64(certified?.ca ?? ''),
    signedCRT: base64(certified?.certificate ?? ''),
    apiServer: `https://${liqo.liqoId}.example:6443`,
  }
  const status = { tenantNamespace: namespace, authParams }
  if (!isSameJson(tenant.status, status))
    await client.replaceStatus(LIQO_TENANT, { ...tenant, status })
}

/** Liqo keeps the request that it certified, and certifies no other in its place. */
async function isRemembered(
  { cluster }: FakeLiqo,
  namespace: string,
  csr: string,
): Promise<boolean> {
  const known = cluster
    .all<Secret>(SECRET)
    .find(({ metadata }) => metadata.name === CERTIFICATE_NAME && metadata.namespace === namespace)
  if (known) return known.data?.csr === csr
  const metadata = { name: CERTIFICATE_NAME, namespace }
  await cluster.client.create<Secret>(SECRET, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { csr },
  })
  return true
}

async function complain(
  { cluster }: FakeLiqo,
  { metadata }: LiqoTenant,
  reason: string,
): Promise<void> {
  const { name, namespace = '' } = metadata
  const id = `${name}.${reason.toLowerCase()}`
  if (cluster.find(CORE_EVENT, id)) return
  await cluster.client.create(CORE_EVENT, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: id, namespace },
    involvedObject: { kind: 'Tenant', name },
    type: 'Warning',
    reason,
    message: reason,
  })
}

async function lookAtIdentity(liqo: FakeLiqo, world: FakeWorld, identity: Identity) {
  const { cluster, liqoId: ownId } = liqo
  const { client } = cluster
  const liqoId = identity.spec?.clusterID ?? ''
  const known = cluster.find<ForeignCluster>(FOREIGN_CLUSTER, liqoId)
  if (isBeingDeleted(identity)) {
    const isDead = known !== undefined && isWrittenOff(known)
    if (world.unreachable.has(liqoId) && !isDead) return
    return removeFinalizer({ client, kind: IDENTITY }, identity, REPLICATOR)
  }
  await addFinalizer({ client, kind: IDENTITY }, identity, REPLICATOR)
  const now = cluster.find<Identity>(IDENTITY, identity.metadata.name)
  if (now && !now.status)
    await cluster.client.replaceStatus<Identity>(IDENTITY, {
      ...now,
      status: { kubeconfigSecretRef: { name: `kubeconfig-${identity.metadata.name}` } },
    })
  const tenant = world.liqos
    .get(liqoId)
    ?.cluster.all<LiqoTenant>(LIQO_TENANT)
    .find(({ spec }) => spec?.clusterID === ownId)
  const renewed = world.unreachable.has(liqoId) ? undefined : tenant?.status?.authParams
  const has = now?.spec?.authParams.signedCRT
  // All of it, as Liqo does, when the certificate is another.
  if (now && renewed && has !== undefined && renewed.signedCRT !== has)
    await client.mergePatch(IDENTITY, now.metadata, { spec: { authParams: renewed } })
  if (known) return
  await cluster.client.create<ForeignCluster>(FOREIGN_CLUSTER, {
    apiVersion: 'core.liqo.io/v1beta1',
    kind: 'ForeignCluster',
    metadata: { name: liqoId, labels: { [REMOTE_LABEL]: liqoId } },
    spec: { clusterID: liqoId },
  })
}
