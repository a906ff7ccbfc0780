import { generateKeyPairSync } from 'node:crypto'
import type { PeeringSession } from '@bourse/contract'
import { systemClock } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { untilStuck } from '../../../fixtures/peering/native/fake/peers.ts'
import { createTwoClusters } from '../../../fixtures/peering/native/fake/two-clusters.ts'
import type { ObjectEvents } from '../../kubernetes/events.ts'
import { CONFIG_MAP, NAMESPACE, SECRET } from '../../kubernetes/kinds.ts'
import type { BorrowedReservation } from '../port/peering.ts'
import type { Identity } from './liqo/identity.ts'
import { LIQO } from './liqo/liqo-kinds.ts'
import type { LiqoTenant } from './liqo/liqo-tenant.ts'
import { KEYS_NAME, type Secret } from './liqo/secrets.ts'
import { createSeals } from './seal/seals.ts'

const certificates = useCertificates()

const { signal } = new AbortController()
const one: BorrowedReservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }
const two: BorrowedReservation = { id: 'rsv-2', provider: 'paris', resources: { cpu: '1' } }

async function romeAndParis(objectEvents?: Pick<ObjectEvents, 'tell'>) {
  const issue = certificates().forCluster
  const both = await createTwoClusters({ issue, ...(objectEvents && { objectEvents }) })
  onTestFinished(both.stop)
  await Promise.all([both.live('rome'), both.live('paris')])
  return both
}

const publicKey = () =>
  String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))

describe('a broker that alters what it carries', () => {
  it('cannot put its own key in the place of the requester’s', async () => {
    const both = await romeAndParis()
    const forger = createSeals({
      certPath: await certificates().forCluster('berlin'),
      clock: systemClock,
    })
    const forged = await forger.seal({
      session: 'ps-x',
      step: 'tenant',
      from: 'rome',
      to: 'paris',
      expiresInMs: 60_000,
      body: { publicKey: publicKey() },
    })
    both.desk.become((session) => withMessage(session, 'tenant', forged))

    both.reserve(one)
    const step = await untilStuck(() => both.peering('rome').borrow(one, signal), 'WrongSigner')

    expect(step.message).toContain('paris says')
    expect(both.paris.all(LIQO.tenant)).toEqual([])
  })

  it('cannot replay the handshake of an earlier session', async () => {
    const both = await romeAndParis()
    const seen: PeeringSession[] = []
    both.desk.become((session) => {
      if (session.messages.grant) seen.push(session)
      return session
    })
    both.reserve(one)
    await both.borrow(one)
    await both.giveBack(one)
    await eventually('they have parted', () => both.rome.all(LIQO.identity).length === 0)
    const [earlier] = seen

    both.desk.become((session) => ({
      ...session,
      messages: { ...session.messages, ...without(earlier?.messages, 'hello') },
    }))
    both.reserve(two)
    const step = await untilStuck(() => both.peering('rome').borrow(two, signal), 'Replayed')

    expect(step.type).toBe('TenantReady')
    expect(both.rome.all(LIQO.identity)).toEqual([])
  })
})

describe('a Liqo with another key than before', () => {
  it('is not believed until an operator accepts it', async () => {
    const told: string[] = []
    const tell: ObjectEvents['tell'] = (_, { metadata }, { reason }) =>
      void told.push(`${metadata.name}: ${reason}`)
    const both = await romeAndParis({ tell })
    both.reserve(one)
    await both.borrow(one)
    await both.giveBack(one)
    await eventually('they have parted', () => both.desk.sessions().length === 0)
    const other = { publicKey: Buffer.from(publicKey()).toString('base64') }
    const keys = both.paris.find<Secret>(SECRET, KEYS_NAME)
    if (!keys) throw new Error('no keys')
    await both.paris.client.mergePatch(SECRET, keys.metadata, { data: other })

    both.reserve(two)
    const borrowing = () => both.peering('rome').borrow(two, signal)
    const step = await untilStuck(borrowing, 'LiqoKeyChanged')

    expect(told).toEqual(['bourse-peers: LiqoKeyChanged'])
    expect(step.message).toContain('kubectl -n default patch configmap bourse-peers')
    const ref = { name: 'bourse-peers', namespace: 'default' }
    await both.rome.client.mergePatch(CONFIG_MAP, ref, { data: { paris: null } })
    await both.borrow(two)
    expect(both.rome.all(LIQO.identity)).toHaveLength(1)
  })
})

describe('a cluster that claims the Liqo id of another', () => {
  it('cannot change a peering that a user made by hand', async () => {
    const both = await romeAndParis()
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' })
    const milan = Buffer.from(pem).toString('base64')
    const metadata = { name: 'by-hand', namespace: 'liqo-tenant-rome-liqo' }
    await both.paris.client.create(LIQO.tenant, {
      apiVersion: 'authentication.liqo.io/v1beta1',
      kind: 'Tenant',
      metadata,
      spec: { clusterID: 'rome-liqo', publicKey: milan, csr: '', signature: '' },
    })

    both.reserve(one)
    const step = await untilStuck(() => both.peering('rome').borrow(one, signal), 'LiqoIdClaimed')

    expect(step.message).toContain('Tenant liqo-tenant-rome-liqo/by-hand')
    const [tenant] = both.paris.all<LiqoTenant>(LIQO.tenant)
    expect(tenant?.spec?.publicKey).toBe(milan)
    expect(both.paris.find(CONFIG_MAP, 'bourse-peers')).toBeUndefined()
  })

  it('does not turn what was peered by hand to itself', async () => {
    const both = await romeAndParis()
    const labels = { 'liqo.io/remote-cluster-id': 'paris-liqo', 'liqo.io/tenant-namespace': 'true' }
    await both.rome.client.create(NAMESPACE, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'by-hand', labels },
    })
    const authParams = { apiServer: 'https://milan.example:6443' }
    await both.rome.client.create(LIQO.identity, {
      apiVersion: 'authentication.liqo.io/v1beta1',
      kind: 'Identity',
      metadata: { name: 'controlplane-paris-liqo', namespace: 'by-hand' },
      spec: { clusterID: 'paris-liqo', type: 'ControlPlane', namespace: 'milan', authParams },
    })

    both.reserve(one)
    const step = await untilStuck(() => both.peering('rome').borrow(one, signal), 'LiqoIdClaimed')

    expect(step.message).toContain('Identity by-hand/controlplane-paris-liqo')
    expect(both.rome.all<Identity>(LIQO.identity).map(({ spec }) => spec?.authParams)).toEqual([
      authParams,
    ])
    expect(both.rome.find(CONFIG_MAP, 'bourse-peers')).toBeUndefined()
  })
})

function withMessage(session: PeeringSession, step: 'tenant', sealed: string): PeeringSession {
  if (!session.messages[step]) return session
  const message = { sealed, postedAt: session.messages[step].postedAt }
  return { ...session, messages: { ...session.messages, [step]: message } }
}

function without(messages: PeeringSession['messages'] = {}, step: 'hello') {
  const { [step]: _, ...others } = messages
  return others
}
