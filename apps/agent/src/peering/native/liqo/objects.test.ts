import { describe, expect, it } from 'vitest'
import { identity, isUsable } from './identity.ts'
import { liqoTenant, liqoTenantNamespace } from './liqo-tenant.ts'
import {
  isSliceName,
  reservationOf,
  resourceSlice,
  sliceName,
  sliceUserOf,
} from './resource-slice.ts'
import { signedNonceSecret, textIn } from './secrets.ts'

describe('the objects of a peering', () => {
  it('name the other cluster by its Liqo id where Liqo looks for it', () => {
    const namespace = 'liqo-tenant-p-1'

    const made = [
      liqoTenantNamespace('p-1', 'paris'),
      liqoTenant({
        namespace,
        peer: 'rome',
        spec: { clusterID: 'p-1', publicKey: 'a', csr: 'b', signature: 'c' },
      }),
      identity({
        namespace,
        peer: 'paris',
        liqoId: 'p-1',
        remoteNamespace: 'there',
        authParams: { apiServer: 'https://paris:6443' },
      }),
      signedNonceSecret({ namespace, liqoId: 'p-1', peer: 'paris' }, 'abc='),
    ]

    const names = made.map(({ metadata }) => metadata.name)
    expect(names).toEqual(['liqo-tenant-p-1', 'p-1', 'controlplane-p-1', 'liqo-signed-nonce'])
    for (const { metadata } of made)
      expect(metadata.labels).toMatchObject({ 'liqo.io/remote-cluster-id': 'p-1' })
  })

  it('carry a nonce as the text that is signed', () => {
    const secret = signedNonceSecret({ namespace: 'x', liqoId: 'p-1', peer: 'paris' }, 'abc=')

    expect(secret.data).toEqual({ nonce: 'YWJjPQ==' })
    expect(textIn(secret, 'nonce')).toBe('abc=')
    expect(textIn(secret, 'signedNonce')).toBeUndefined()
  })

  it('count an identity as usable once Liqo has written its kubeconfig', () => {
    const made = identity({
      namespace: 'x',
      peer: 'paris',
      liqoId: 'p-1',
      remoteNamespace: 'there',
      authParams: {},
    })

    expect(isUsable(made)).toBe(false)
    expect(isUsable({ ...made, status: { kubeconfigSecretRef: { name: 'kubeconfig' } } })).toBe(
      true,
    )
  })
})

describe('a slice', () => {
  it('asks for exactly what is reserved, and for a virtual node', () => {
    const slice = resourceSlice({
      reservation: 'rsv-abcde-1',
      namespace: 'x',
      peer: 'paris',
      liqoId: 'p-1',
      sliceClass: 'bourse',
      resources: { cpu: '2', memory: '4Gi', pods: '110' },
    })

    expect(slice.metadata).toEqual({
      name: 'res-rsv-abcde-1',
      namespace: 'x',
      labels: {
        'liqo.io/replication': 'true',
        'liqo.io/remoteID': 'p-1',
        'liqo.io/remote-cluster-id': 'p-1',
        'bourse.dev/reservation': 'rsv-abcde-1',
        'bourse.dev/peer': 'paris',
      },
      annotations: { 'liqo.io/create-virtual-node': 'true' },
    })
    expect(slice.spec).toEqual({
      class: 'bourse',
      providerClusterID: 'p-1',
      resources: { cpu: '2', memory: '4Gi', pods: '110' },
    })
  })

  it('is named after its reservation, and tells it by its name', () => {
    expect(reservationOf(sliceName('rsv-abcde-1'))).toBe('rsv-abcde-1')
    expect(reservationOf('paris')).toBeUndefined()
  })

  it.each([
    ['res-rsv-abcde-zz', true],
    [`res-${'x'.repeat(46)}`, true],
    [`res-${'x'.repeat(47)}`, false],
    ['res-my.workload', false],
  ])('may be called %s: %s', (name, isLegal) => {
    expect(isSliceName(name)).toBe(isLegal)
  })
})

it("is the slice's name and the beginning of a hash of who asks", () => {
  // printf rome | sha256sum | cut -c1-12
  expect(sliceUserOf('res-rsv-k3x9a-1f', 'rome')).toBe('res-rsv-k3x9a-1f-a8a4c692b93b')
})
