import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentKinds, brokerKinds, definitionOf } from '@bourse/contract/kinds'
import { repositoryRoot } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { aClusterAdvertisement, aReservation, aResourceRequest } from './manifests.ts'

const controlPlane = useControlPlane({ kinds: bourseKinds })
const kubectl = (args: readonly string[], manifest?: object) =>
  controlPlane().kubectl(args, manifest && JSON.stringify(manifest))
const create = (manifest: object) => kubectl(['create', '--filename=-'], manifest)
const patch = (name: string, change: object, ...more: string[]) =>
  kubectl([
    'patch',
    ...name.split('/'),
    '--type=merge',
    `--patch=${JSON.stringify(change)}`,
    ...more,
  ])
const patchStatus = (name: string, status: object) =>
  patch(name, { status }, '--subresource=status')

describe('the CRDs', () => {
  it.each([...brokerKinds, ...agentKinds])('$plural.$group is what the schema says', (kind) => {
    const path = join(repositoryRoot, `config/crd/bases/${kind.group}_${kind.plural}.yaml`)

    const committed = readFileSync(path, 'utf8').replace(/^#.*\n/, '')

    const options = { lineWidth: 100, aliasDuplicateObjects: false } as const
    expect(committed).toBe(stringify(definitionOf(kind), options))
  })

  it.each([...brokerKinds, ...agentKinds])('$plural.$group is structural', async (kind) => {
    const problems =
      '--output=jsonpath={.status.conditions[?(@.type=="NonStructuralSchema")].message}'

    expect(await kubectl(['get', 'crd', `${kind.plural}.${kind.group}`, problems])).toBe('')
  })

  it('take the manifests of the contract as they are written', async () => {
    const applied = await kubectl(['apply', `--filename=${join(repositoryRoot, 'config/samples')}`])

    expect(applied.trim().split('\n')).toEqual([
      'clusteradvertisement.broker.fluidos.eu/local-cluster-adv created',
      'clusteradvertisement.broker.fluidos.eu/cluster-1 created',
      'reservation.broker.fluidos.eu/my-workload created',
      'resourcerequest.liqo.io/my-request created',
      'resourcerequest.liqo.io/my-shop created',
    ])
  })

  it('have the short names of the contract, and a category for what is meant for people', async () => {
    const listed = await kubectl(['api-resources', '--categories=bourse', '--no-headers'])

    const names = listed
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    expect(names.sort()).toEqual([
      'advertisements adv',
      'clusteradvertisements cadv',
      'providerinstructions pinst',
      'reservationinstructions rinst',
      'reservations rsv',
      'resourcerequests rreq',
    ])
  })

  it('default the priority to 0, and the phase to Pending until someone answers', async () => {
    await create(aReservation('by-default', { priority: undefined }))

    const shown =
      '--output=jsonpath={.spec.priority} {.status.phase} {.status.conditions[0].status}'
    expect(await kubectl(['get', 'rsv', 'by-default', shown])).toBe('0 Pending Unknown')
  })
})

describe('a Reservation is refused with a sentence', () => {
  const one = 'ask for a positive amount of at least one resource, such as cpu: "2"'
  const whole = 'gpu and other extended resources come in whole pieces'
  const form = 'a requester id has lower-case letters, digits and hyphens only'

  it.each([
    { why: 'nothing asked for', spec: { requestedResources: {} }, sentence: one },
    { why: 'only zeros', spec: { requestedResources: { cpu: 0, memory: '0' } }, sentence: one },
    {
      why: 'negative text',
      spec: { requestedResources: { cpu: '-1', memory: '1Gi' } },
      sentence: 'spec.requestedResources[cpu]: Invalid value: "-1": an amount is zero or more',
    },
    {
      why: 'a negative number',
      spec: { requestedResources: { cpu: '1', memory: -5 } },
      sentence: 'spec.requestedResources[memory]: Invalid value: -5: an amount is zero or more',
    },
    {
      why: 'no quantity',
      spec: { requestedResources: { cpu: 'two' } },
      sentence: 'this is not a quantity: write one such as 2, 500m or 4Gi',
    },
    {
      why: 'too much',
      spec: { requestedResources: { memory: '8Ei' } },
      sentence: 'an amount stays below 2^63',
    },
    { why: 'half a GPU', spec: { requestedResources: { gpu: '500m' } }, sentence: whole },
    {
      why: 'half an FPGA',
      spec: { requestedResources: { 'example.com/fpga': '0.5' } },
      sentence: whole,
    },
    {
      why: 'two words for GPUs that differ',
      spec: { requestedResources: { gpu: 1, 'nvidia.com/gpu': '2' } },
      sentence: 'gpu and nvidia.com/gpu are the same resource and must not differ',
    },
    {
      why: 'two words for storage that differ',
      spec: { requestedResources: { storage: '1Gi', 'ephemeral-storage': '2Gi' } },
      sentence: 'storage and ephemeral-storage are the same resource',
    },
    {
      why: 'no requester',
      spec: { requesterID: undefined },
      sentence: 'spec.requesterID: Required value',
    },
    { why: 'an empty requester', spec: { requesterID: '' }, sentence: form },
    { why: 'a requester in capitals', spec: { requesterID: 'Rome' }, sentence: form },
    {
      why: 'a requester that is too long',
      spec: { requesterID: 'r'.repeat(64) },
      sentence: 'may not be more than 63',
    },
    {
      why: 'a duration in weeks',
      spec: { duration: '1w' },
      sentence: 'write a duration such as 7d, 1h30m',
    },
    {
      why: 'a negative duration',
      spec: { duration: '-1h' },
      sentence: 'write a duration such as 7d, 1h30m',
    },
    {
      why: 'no time at all',
      spec: { duration: '0h0m' },
      sentence: 'a duration is longer than zero',
    },
    {
      why: 'a pin of another form',
      spec: { targetClusterID: 'Paris!' },
      sentence: 'a cluster id has lower-case letters',
    },
  ])('$why', async ({ spec, sentence }) => {
    await expect(create(aReservation('refused', spec))).rejects.toThrow(sentence)
  })

  it.each([
    {
      what: 'whole GPUs, however written',
      requestedResources: { gpu: 2, 'nvidia.com/gpu': '2000m' },
    },
    { what: 'numbers without quotes', requestedResources: { cpu: 2, memory: 1073741824 } },
    {
      what: 'a zero beside something',
      requestedResources: { cpu: '500m', memory: '1.5Gi', gpu: 0 },
    },
  ])('but not for $what', async ({ requestedResources }) => {
    const manifest = aReservation('accepted', { requestedResources })

    const answer = await kubectl(['create', '--dry-run=server', '--filename=-'], manifest)

    expect(answer).toContain('accepted created')
  })
})

describe('a change of a Reservation', () => {
  const made = 'rsv/made'
  const otherwise = 'delete this object and make another one'
  beforeAll(async () => {
    await create(aReservation('made', { duration: '7d' }))
    await patchStatus(made, { phase: 'Reserved', targetClusterID: 'paris' })
    await create(aReservation('ended', { duration: '1h' }))
    await patchStatus('rsv/ended', { phase: 'Released' })
  })

  it.each([
    {
      name: made,
      change: { requesterID: 'eve' },
      sentence: `requesterID cannot be changed: ${otherwise}`,
    },
    {
      name: made,
      change: { requestedResources: { cpu: '3' } },
      sentence: `requestedResources cannot be changed: ${otherwise}`,
    },
    { name: made, change: { priority: 99 }, sentence: `priority cannot be changed: ${otherwise}` },
    { name: made, change: { oneNode: true }, sentence: `oneNode cannot be changed: ${otherwise}` },
    {
      name: made,
      change: { targetClusterID: 'berlin' },
      sentence: `a reservation does not move: ${otherwise}`,
    },
    {
      name: made,
      change: { duration: null },
      sentence: 'a duration can be changed, but not removed',
    },
    {
      name: 'rsv/ended',
      change: { duration: '2h' },
      sentence: 'this reservation has ended and cannot be renewed',
    },
  ])('of $change is refused for $name', async ({ name, change, sentence }) => {
    await expect(patch(name, { spec: change })).rejects.toThrow(sentence)
  })

  it('renews by its duration', async () => {
    expect(await patch(made, { spec: { duration: '2h' } })).toContain('patched')
  })

  it('may name the provider that was chosen, as the broker does, and no other after that', async () => {
    await patch(made, { spec: { targetClusterID: 'paris' } })

    await expect(patch(made, { spec: { targetClusterID: 'berlin' } })).rejects.toThrow(
      'a reservation does not move',
    )
  })
})

describe('a ClusterAdvertisement is refused with a sentence', () => {
  const capacity = { cpu: '4', memory: '8Gi' }

  it.each([
    {
      why: 'an id in capitals',
      spec: { clusterID: 'Paris' },
      sentence: 'a cluster id has lower-case letters',
    },
    {
      why: 'no capacity',
      spec: { resources: {} },
      sentence: 'spec.resources.capacity: Required value',
    },
    {
      why: 'more allocatable than capacity',
      spec: { resources: { capacity, allocatable: { cpu: '4001m' } } },
      sentence: 'allocatable is a part of capacity',
    },
    {
      why: 'a negative reserved',
      spec: { resources: { capacity, reserved: { cpu: '-1000' } } },
      sentence: 'an amount is zero or more',
    },
    {
      why: 'a price below zero',
      spec: { cost: { cpuCost: '-1', currency: 'USD' } },
      sentence: 'a price is a decimal of zero or more',
    },
    {
      why: 'a price without a currency',
      spec: { cost: { cpuCost: '1' } },
      sentence: 'a price needs a currency, such as USD',
    },
    {
      why: 'an endpoint without TLS',
      spec: { endpointURL: 'http://paris.example' },
      sentence: 'an endpoint is an https address',
    },
    {
      why: 'a negative use',
      spec: { used: { 'rsv-1': { cpu: '-1' } } },
      sentence: 'spec.used.rsv-1.cpu',
    },
  ])('$why', async ({ spec, sentence }) => {
    await expect(create(aClusterAdvertisement('refused', spec))).rejects.toThrow(sentence)
  })

  it('but allocated may exceed allocatable, and zero is legal', async () => {
    const resources = { capacity: { cpu: '4', gpu: 0 }, allocated: { cpu: '5' } }

    expect(await create(aClusterAdvertisement('full', { resources }))).toContain('created')
  })

  it('a change of its cluster id', async () => {
    await create(aClusterAdvertisement('settled'))

    const changed = patch('cadv/settled', { spec: { clusterID: 'berlin' } })

    await expect(changed).rejects.toThrow('clusterID cannot be changed')
  })
})

describe('a ResourceRequest is refused with a sentence', () => {
  it.each([
    { why: 'no memory', spec: { memory: undefined }, sentence: 'spec.memory: Required value' },
    { why: 'only zeros', spec: { cpu: 0, memory: 0 }, sentence: 'ask for a positive amount' },
    { why: 'half a GPU', spec: { gpu: '0.5' }, sentence: 'come in whole pieces' },
    {
      why: 'GPUs twice',
      spec: { gpu: 1, resources: { 'nvidia.com/gpu': 2 } },
      sentence: 'gpu is given twice, with different amounts',
    },
  ])('$why', async ({ spec, sentence }) => {
    await expect(create(aResourceRequest('refused', spec))).rejects.toThrow(sentence)
  })

  it('a change of anything but its duration', async () => {
    await create(aResourceRequest('running', { duration: '1h' }))

    await expect(patch('rreq/running', { spec: { cpu: '3' } })).rejects.toThrow(
      'cpu cannot be changed',
    )
    expect(await patch('rreq/running', { spec: { duration: '2h' } })).toContain('patched')
  })
})

describe('kubectl', () => {
  it('shows reservations in columns', async () => {
    const requestedResources = { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' }
    await create(aReservation('shown', { requestedResources, requesterID: 'oslo' }))
    const expiresAt = '2026-11-15T23:10:00Z'
    const ended = { phase: 'Released', reason: 'Expired', targetClusterID: 'paris', expiresAt }
    await patchStatus('rsv/shown', ended)

    const shown = await kubectl(['get', 'reservations', '--field-selector=spec.requesterID=oslo'])

    expect(shown.replace(/ +/g, ' ')).toMatch(
      /^NAME REQUESTER CPU MEMORY GPU PROVIDER PHASE REASON EXPIRES AGE\nshown oslo 2 4Gi 1 paris Released Expired 2026-11-15T23:10:00Z \d+s\n$/,
    )
  })

  it('shows what each cluster has left in columns', async () => {
    await create(aClusterAdvertisement('shown', { clusterID: 'lyon' }))
    const available = { cpu: '5950m', memory: '3Gi', 'nvidia.com/gpu': '4' }
    const conditions = [{ type: 'Ready', status: 'True' }]
    const status = { phase: 'Active', score: '66.67', available, liveReservations: 2, conditions }
    await patchStatus('cadv/shown', status)

    const shown = await kubectl(['get', 'cadv', '--field-selector=spec.clusterID=lyon'])

    expect(shown.replace(/ +/g, ' ')).toMatch(
      /^NAME CLUSTER PHASE READY FREE-CPU FREE-MEMORY FREE-GPU HELD SCORE AGE\nshown lyon Active True 5950m 3Gi 4 2 66.67 \d+s\n$/,
    )
  })

  it('waits for conditions', async () => {
    await create(aReservation('awaited'))
    const waited = kubectl(['wait', '--for=condition=Ready', 'rsv/awaited', '--timeout=60s'])
    await patchStatus('rsv/awaited', { conditions: [{ type: 'Ready', status: 'True' }] })

    expect(await waited).toContain('condition met')
  })

  it('lets two writers keep conditions of their own by server-side apply', async () => {
    await create(aReservation('spoken-of'))
    const say = (manager: string, type: string) =>
      kubectl(
        [
          'apply',
          '--server-side',
          '--subresource=status',
          `--field-manager=${manager}`,
          '--filename=-',
        ],
        {
          ...aReservation('spoken-of'),
          spec: undefined,
          status: { conditions: [{ type, status: 'True' }] },
        },
      )

    await say('broker', 'Ready')
    await say('agent', 'RequesterActive')

    const types = '--output=jsonpath={.status.conditions[*].type}'
    expect(await kubectl(['get', 'rsv', 'spoken-of', types])).toBe('Ready RequesterActive')
  })

  it.each([
    { path: 'reservation', says: 'Reservation locks capacity on a provider for a requester.' },
    { path: 'rsv.spec.duration', says: 'How long, such as 1h30m' },
    { path: 'rsv.spec.requestedResources', says: 'by resource name: cpu, memory, gpu' },
    { path: 'cadv.spec.timestamp', says: 'patch it to refresh' },
    { path: 'rreq', says: 'ResourceRequest asks the exchange for capacity' },
    { path: 'journalslot', says: 'Never edit or delete one' },
  ])('explains $path', async ({ path, says }) => {
    const explained = await kubectl(['explain', path])

    expect(explained.replace(/\s+/g, ' ')).toContain(says)
  })
})
