// Budget: 120 seconds.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKubeClient, type KubeClient, type KubeObject, loadConnection } from '@bourse/kube'
import { eventually, fetchAnew } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sliceUserOf } from '../../../apps/agent/src/peering/native/liqo/resource-slice.ts'
import { sliceRequest } from '../../kubernetes/slice-request.ts'
import { usePeers } from './use-peers.ts'

type Amounts = Readonly<Record<string, string>>
type Slice = KubeObject<
  Readonly<{ class?: string; resources?: Amounts; consumerClusterID?: string; csr?: string }>,
  Readonly<{
    resources?: Amounts
    authParams?: Readonly<{ signedCRT?: string }>
    conditions?: readonly Readonly<{ type: string; status: string; reason?: string }>[]
  }>
>
type Quota = KubeObject<Readonly<{ user: string; resources: Amounts }>>
type Secret = KubeObject & Readonly<{ data: Readonly<Record<string, string>> }>

const kind = (group: string, plural: string, name: string) => ({
  ...{ group, version: 'v1beta1', plural, kind: name, namespaced: true },
})
const SLICE = kind('authentication.liqo.io', 'resourceslices', 'ResourceSlice')
const QUOTA = kind('offloading.liqo.io', 'quotas', 'Quota')
const SECRET = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
/** In paris, for rome; and in rome, for paris. */
const AT_PROVIDER = 'liqo-tenant-rome'
const AT_REQUESTER = 'liqo-tenant-paris'
const TIMEOUT_MS = 60_000

/** rome has reserved 2 CPU in paris, and wants all of paris. Its Liqo is its own to do so. */
describe('a requester that wants more than it reserved', () => {
  const { federation, inCluster, active } = usePeers()
  /** In paris, with the certificate that Liqo made for rome. */
  let rome: KubeClient
  let slice = ''

  beforeAll(async () => {
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', duration: '1h' })
    const { reservationName } = await active('job')
    slice = `res-${reservationName}`
    const secret = await inCluster('rome').client.get<Secret>(
      SECRET,
      'kubeconfig-controlplane-paris',
      AT_REQUESTER,
    )
    const kubeconfig = join(federation().cluster('paris').controlPlane.dir, 'rome.kubeconfig')
    writeFileSync(kubeconfig, Buffer.from(secret.data.kubeconfig ?? '', 'base64'))
    rome = createKubeClient(await loadConnection({ kubeconfig }))
  })
  afterAll(() => rome?.close())

  const quotas = async () => (await inCluster('paris').client.list<Quota>(QUOTA)).items
  const grantedTo = async (name: string) =>
    (await quotas()).find(({ spec }) => spec?.user.startsWith(`${name}-`))?.spec?.resources

  const aSlice = (name: string, spec: Slice['spec'] = {}) => ({
    apiVersion: 'authentication.liqo.io/v1beta1',
    kind: 'ResourceSlice',
    metadata: {
      name,
      namespace: AT_PROVIDER,
      labels: { 'liqo.io/replicated': 'true', 'liqo.io/originID': 'rome' },
    },
    spec: { consumerClusterID: 'rome', resources: { cpu: '16' }, ...spec },
  })
  /** Liqo signs it and carries it to paris. */
  const askInRome = (name: string, sliceClass: string) =>
    inCluster('rome').client.create(SLICE, {
      ...{ apiVersion: 'authentication.liqo.io/v1beta1', kind: 'ResourceSlice' },
      metadata: {
        name,
        namespace: AT_REQUESTER,
        labels: {
          'liqo.io/replication': 'true',
          'liqo.io/remoteID': 'paris',
          'liqo.io/remote-cluster-id': 'paris',
        },
      },
      spec: { class: sliceClass, providerClusterID: 'paris', resources: { cpu: '16' } },
    })
  const patch = (change: object, subresource?: 'status') =>
    rome.mergePatch(SLICE, { name: slice, namespace: AT_PROVIDER }, change, { subresource })

  it('has what it reserved', async () => {
    expect(await grantedTo(slice)).toMatchObject({ cpu: '2', memory: '4Gi' })
  })

  it('cannot grant it to itself', async () => {
    const conditions = [{ type: 'Resources', status: 'Accepted', reason: 'Granted' }]

    const granting = patch({ status: { resources: { cpu: '16' }, conditions } }, 'status')

    await expect(granting).rejects.toThrow('rome cannot grant itself anything')
    expect(await grantedTo(slice)).toMatchObject({ cpu: '2', memory: '4Gi' })
  })

  it('cannot ask in a class that Liqo grants without asking the agent', async () => {
    const asking = rome.create(SLICE, aSlice('free', { class: 'default' }))

    await expect(asking).rejects.toThrow('slices of class default are not lent here')
  })

  it('cannot do so by the ordinary way of Liqo, either', async () => {
    const { liqo } = federation().cluster('rome')

    await askInRome('free', 'default')

    await eventually(
      "rome's own Liqo is told why",
      async () => liqo?.logs().includes('slices of class default are not lent here') === true,
      TIMEOUT_MS,
    )
    expect(await grantedTo('free')).toBeUndefined()
  })

  it('is granted nothing without a reservation, and told so', async () => {
    await askInRome('res-rsv-unknown-1', 'bourse')

    await eventually(
      'paris denies it',
      async () => {
        const asked = inCluster('rome').client.get<Slice>(SLICE, 'res-rsv-unknown-1', AT_REQUESTER)
        const { conditions } = (await asked).status ?? {}
        return conditions?.some(({ reason }) => reason === 'NoReservation') === true
      },
      TIMEOUT_MS,
    )
    expect(await grantedTo('res-rsv-unknown-1')).toBeUndefined()
  })

  it('cannot hide what it has from the eyes of paris', async () => {
    const hiding = patch({ metadata: { labels: { 'liqo.io/replicated': null } } })

    await expect(hiding).rejects.toThrow("labels and annotations of a slice are its provider's")
  })

  it('is granted no more for asking more', async () => {
    // Its own Liqo would put right at once what differs from rome.
    await federation().cluster('rome').liqo?.replicator.kill()
    await patch({ spec: { resources: { cpu: '16', memory: '64Gi', 'nvidia.com/gpu': '4' } } })

    await eventually(
      'paris has judged it',
      async () => {
        const { status } = await rome.get<Slice>(SLICE, slice, AT_PROVIDER)
        return status?.conditions?.some(({ reason }) => reason === 'Capped') === true
      },
      TIMEOUT_MS,
    )
    const granted = await eventually('its quota says so', async () => {
      const amounts = await grantedTo(slice)
      return amounts?.['nvidia.com/gpu'] === undefined ? undefined : amounts
    })
    expect(granted).toMatchObject({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '0' })
  })

  it('is counted', async () => {
    const metrics = await fetchAnew(federation().cluster('paris').metricsUrl).then((one) =>
      one.text(),
    )

    expect(metrics).toContain('agent_slices_total{result="denied",reason="NoReservation"} 1')
  })

  /**
   * Of the groups in a certificate request Liqo checks the first one, and the API server of paris
   * would believe them all. Signed with the key by which paris knows rome. From here on rome's
   * Liqo carries nothing, and so takes nothing back.
   */
  async function requestOf(name: string, groups: readonly string[], label?: string) {
    const { client } = inCluster('rome')
    const { data } = await client.get<Secret>(SECRET, 'authentication-keys', 'liqo')
    const privateKey = createPrivateKey(Buffer.from(data.privateKey ?? '', 'base64'))
    return sliceRequest({ user: sliceUserOf(name, 'rome'), groups, privateKey, label })
  }

  it('is certified in the group of its own cluster', async () => {
    const name = 'res-rsv-unknown-2'
    const csr = await requestOf(name, ['rome'])

    await rome.create(SLICE, aSlice(name, { class: 'bourse', csr }))

    const signed = await eventually(
      'the Liqo of paris signs it',
      async () => (await rome.get<Slice>(SLICE, name, AT_PROVIDER)).status?.authParams?.signedCRT,
      TIMEOUT_MS,
    )
    const { subject } = new X509Certificate(Buffer.from(signed, 'base64'))
    expect(subject.split('\n').sort()).toEqual([`CN=${sliceUserOf(name, 'rome')}`, 'O=rome'])
  })

  it.each([
    { groups: ['rome', 'system:masters'] },
    { groups: ['rome', 'x'] },
    { groups: ['rome', 'x'], label: 'X' },
  ])('is not certified in $groups of paris, with a new slice or with its own', async (asked) => {
    const refusal = "it may name groups that are not the peer's"
    const { groups, label } = asked
    const name = 'res-rsv-unknown-3'

    const csr = await requestOf(name, groups, label)
    await expect(rome.create(SLICE, aSlice(name, { class: 'bourse', csr }))).rejects.toThrow(
      refusal,
    )
    await expect(patch({ spec: { csr: await requestOf(slice, groups, label) } })).rejects.toThrow(
      refusal,
    )
    await expect(rome.get(SLICE, name, AT_PROVIDER)).rejects.toThrow('not found')
  })
})
