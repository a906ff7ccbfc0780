import { type Kind, type KubeClient, KubeError } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { createEndpoint, statedEndpoint } from './endpoint.ts'

const CLUSTER_INFO = 'configmaps kube-public/cluster-info'
const ENDPOINTS = 'endpointslices default/kubernetes'
const KUBEADM = 'configmaps kube-system/kubeadm-config'

const info = (server: string) => ({
  data: { kubeconfig: `clusters:\n- cluster:\n    server: ${server}\n  name: ""\nkind: Config\n` },
})
const endpoints = (...addresses: string[]) => ({
  endpoints: [{ addresses }],
  ports: [{ name: 'https', port: 6443 }],
})
const kubeadm = (place: string) => ({
  data: { ClusterConfiguration: `apiServer: {}\ncontrolPlaneEndpoint: ${place}\n` },
})

describe('the address of an API server, seen from inside of its cluster', () => {
  it.each([
    {
      name: 'is what kubeadm published',
      objects: {
        [CLUSTER_INFO]: info('https://paris.example:6443'),
        [ENDPOINTS]: endpoints('10.0.0.4'),
      },
      url: 'https://paris.example:6443',
      reason: 'ClusterInfo',
    },
    {
      name: 'is otherwise where its Service leads',
      objects: { [ENDPOINTS]: endpoints('10.0.0.4', '10.0.0.5') },
      url: 'https://10.0.0.4:6443',
      reason: 'Endpoints',
    },
    {
      name: 'may be of IPv6',
      objects: { [ENDPOINTS]: endpoints('fd00::4') },
      url: 'https://[fd00::4]:6443',
      reason: 'Endpoints',
    },
    {
      name: 'is not one that only the node itself reaches',
      objects: {
        [CLUSTER_INFO]: info('https://127.0.0.1:6443'),
        [ENDPOINTS]: endpoints('10.0.0.4'),
      },
      url: 'https://10.0.0.4:6443',
      reason: 'Endpoints',
    },
    {
      name: 'is not one without TLS, or of a Service',
      objects: {
        [CLUSTER_INFO]: info('http://paris.example:8080'),
        [KUBEADM]: kubeadm('kubernetes.default.svc:443'),
      },
      url: undefined,
      reason: 'NotFound',
    },
    {
      name: 'is at last what kubeadm was told, with its usual port',
      objects: { [KUBEADM]: kubeadm('"paris.example"') },
      url: 'https://paris.example:6443',
      reason: 'KubeadmConfig',
    },
  ])('$name', async ({ objects, url, reason }) => {
    const endpoint = seen(objects)

    await endpoint.find()

    expect(endpoint.url()).toBe(url)
    expect(endpoint.conditions()).toMatchObject([
      { type: 'EndpointKnown', status: url ? 'True' : 'False', reason },
    ])
  })

  it('is waited for while the API server is away', async () => {
    const endpoint = seen({ [ENDPOINTS]: endpoints('10.0.0.4') }, 2)

    const before = endpoint.conditions()
    await endpoint.find()

    expect(before).toEqual([])
    expect(endpoint.url()).toBe('https://10.0.0.4:6443')
  })
})

describe('an address that need not be looked for', () => {
  const server = 'https://rome.example:6443'

  it.each([
    [
      'of the flag',
      'https://a.example',
      'kubeconfig',
      { url: 'https://a.example', source: 'Flag' },
    ],
    ['of the kubeconfig', undefined, 'context rome', { url: server, source: 'Kubeconfig' }],
    ['in a pod: none', undefined, 'in-cluster', undefined],
  ])('is that %s', (_, flag, source, stated) => {
    expect(statedEndpoint(flag, { source, server })).toEqual(stated)
  })

  it('says who told it', () => {
    const endpoint = seen({}, 0, { url: 'https://a.example', source: 'Flag' })

    expect(endpoint.conditions()).toMatchObject([
      { reason: 'Flag', message: expect.stringContaining('as --endpoint-url says') },
    ])
  })
})

type Stated = Parameters<typeof createEndpoint>[0]['stated']

/** From a cluster with these objects, which is away for the first few questions. */
function seen(objects: Readonly<Record<string, object>>, awayFor = 0, stated?: Stated) {
  let questions = 0
  const client = {
    async get({ plural }: Kind, name: string, namespace: string) {
      if (questions++ < awayFor) throw new KubeError('away', { reason: 'Unreachable' })
      const found = objects[`${plural} ${namespace}/${name}`]
      if (!found) throw new KubeError('none', { reason: 'NotFound', status: 404 })
      return found
    },
  }
  return createEndpoint({
    client: client as unknown as KubeClient,
    stated,
    log: { warn() {} },
    clock: { random: () => 0, sleep: async () => {} },
  })
}
