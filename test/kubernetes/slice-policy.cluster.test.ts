import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { type Kubectl, looseKind } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sliceRequest } from './slice-request.ts'

const controlPlane = useControlPlane()
const TENANT = 'liqo-tenant-rome'
const SLICES = {
  group: 'authentication.liqo.io',
  version: 'v1beta1',
  plural: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: true,
}
/** What Liqo's own role gives a peer in its tenant namespace. */
const RIGHTS = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'liqo-remote-controlplane' },
  rules: [
    {
      apiGroups: [SLICES.group],
      resources: ['resourceslices', 'resourceslices/status'],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    },
  ],
}
/** Kubernetes has ResourceSlices of its own. */
const KIND = `${SLICES.plural}.${SLICES.group}`
const SELF_GRANT = {
  status: {
    resources: { cpu: '500' },
    conditions: [{ type: 'Resources', status: 'Accepted', reason: 'Granted' }],
  },
}

let peer: Kubectl
let admin: Kubectl

beforeAll(async () => {
  const { kubectl, kubectlAs } = controlPlane()
  admin = kubectl
  const metadata = { name: TENANT, labels: { 'liqo.io/remote-cluster-id': 'rome' } }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata }
  const items = [looseKind(SLICES), RIGHTS, namespace]
  await admin(['apply', '--filename=-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  await admin(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  const binding = ['rolebinding', 'peer', '--clusterrole=liqo-remote-controlplane', '--user=rome']
  await admin(['create', ...binding, `--namespace=${TENANT}`])
  const policy = join(repositoryRoot, 'config/agent-admission/slices.yaml')
  await admin(['apply', `--filename=${policy}`])
  peer = await kubectlAs({ user: 'rome', groups: ['liqo.io'] })
  await eventually(
    'the policy is in force',
    () =>
      create(aSlice('probe', { spec: { class: 'default' } }), '--dry-run=server').then(
        () => false,
        (refusal: Error) => refusal.message.includes('bourse-slices'),
      ),
    60_000,
  )
})
afterEach(() => admin(['delete', KIND, '--all', `--namespace=${TENANT}`]))

type More = Readonly<{ spec?: object; labels?: object }>

function aSlice(name: string, { spec, labels = { 'liqo.io/replicated': 'true' } }: More = {}) {
  return {
    apiVersion: 'authentication.liqo.io/v1beta1',
    kind: 'ResourceSlice',
    metadata: { name, namespace: TENANT, labels },
    spec: { class: 'bourse', resources: { cpu: '2' }, ...spec },
  }
}

const create = (slice: object, ...flags: string[]) =>
  peer(['create', '--filename=-', ...flags], JSON.stringify(slice))

const patch = (who: Kubectl, name: string, change: object, ...flags: string[]) =>
  who([
    'patch',
    KIND,
    name,
    `--namespace=${TENANT}`,
    '--type=merge',
    `--patch=${JSON.stringify(change)}`,
    ...flags,
  ])

describe('a peer', () => {
  it('asks for a slice of our class, resizes it and removes it', async () => {
    expect(await create(aSlice('res-1'))).toContain('created')
    expect(await patch(peer, 'res-1', { spec: { resources: { cpu: '4' } } })).toContain('patched')
    expect(await peer(['delete', KIND, 'res-1', `--namespace=${TENANT}`])).toContain('deleted')
  })

  it('cannot grant itself anything', async () => {
    await create(aSlice('res-1'))

    const granting = patch(peer, 'res-1', SELF_GRANT, '--subresource=status')

    await expect(granting).rejects.toThrow(
      'rome cannot grant itself anything: the status of a slice is written by its provider',
    )
  })

  it.each([
    { said: 'default', spec: { class: 'default' } },
    { said: 'none at all', spec: { class: undefined } },
  ])('cannot go round reservations with class $said', async ({ spec }) => {
    await expect(create(aSlice('res-1', { spec }))).rejects.toThrow(
      'slices of class default are not lent here: reserve at the broker, and ask for class bourse',
    )
  })

  it('cannot change the class afterwards', async () => {
    await create(aSlice('res-1'))

    const changing = patch(peer, 'res-1', { spec: { class: 'gold' } })

    await expect(changing).rejects.toThrow('slices of class gold are not lent here')
  })

  it('cannot hide its slice', async () => {
    await create(aSlice('res-1'))

    const hiding = patch(peer, 'res-1', { metadata: { labels: { 'liqo.io/replicated': null } } })

    await expect(hiding).rejects.toThrow("labels and annotations of a slice are its provider's")
    await expect(create(aSlice('res-2', { labels: {} }))).rejects.toThrow(
      "a peer's slices here are copies of its own",
    )
  })

  it('cannot take off what its provider cordoned', async () => {
    await create(aSlice('res-1'))
    await patch(admin, 'res-1', { metadata: { annotations: { 'liqo.io/cordon': 'true' } } })

    const uncordoning = patch(peer, 'res-1', {
      metadata: { annotations: { 'liqo.io/cordon': null } },
    })

    await expect(uncordoning).rejects.toThrow(
      "labels and annotations of a slice are its provider's",
    )
  })
})

describe('what a peer has certified for a slice', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  type Written = Readonly<{ columns?: number | undefined; label?: string | undefined }>
  /** As Liqo names it: the slice, and a part of a hash. */
  const asked = (name: string, groups: readonly string[], written: Written = {}) => {
    const csr = sliceRequest({ user: `${name}-0123456789ab`, groups, privateKey, ...written })
    return create(aSlice(name, { spec: { consumerClusterID: 'rome', csr } }))
  }
  const names = Array.from({ length: 46 }, (_, nth) => `res-${'x'.repeat(nth + 1)}`)

  it('is the group of its own cluster, however long the name is', async () => {
    const made = await Promise.all(names.map((name) => asked(name, ['rome'])))

    expect(made.filter((one) => one.includes('created'))).toHaveLength(names.length)
  })

  it.each([
    { groups: ['rome', 'kubeadm:cluster-admins'] },
    { groups: ['rome', 'x'] },
    { groups: ['rome', 'x'], columns: 10_000 },
    // Liqo reads PEM of any label, and a short one leaves room.
    { groups: ['rome', 'x'], label: 'X' },
    { groups: ['rome', 'x'], label: '' },
  ])('is never $groups, however it is written', async ({ groups, columns, label }) => {
    const some = names.filter((_, nth) => nth % 5 === 0)
    const written = { columns, label }
    const answers = await Promise.allSettled(some.map((name) => asked(name, groups, written)))

    const refusals = answers.map((one) => (one.status === 'rejected' ? `${one.reason}` : 'made'))
    for (const refusal of refusals)
      expect(refusal).toContain("it may name groups that are not the peer's")
  })

  it('is not the group of another cluster', async () => {
    const asking = create(aSlice('res-1', { spec: { consumerClusterID: 'operators' } }))

    await expect(asking).rejects.toThrow('rome cannot ask in the name of operators')
  })
})

describe('any other user', () => {
  it('is not bound by it: the provider writes the status', async () => {
    await create(aSlice('res-1'))

    const granted = await patch(admin, 'res-1', SELF_GRANT, '--subresource=status')

    expect(granted).toContain('patched')
  })
})
