import { join } from 'node:path'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { grantClusterRights, type Kubectl } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { aClusterAdvertisement, aReservation } from './manifests.ts'

// With controllers: they add our roles to view, edit and admin.
const controlPlane = useControlPlane({ withControllers: true })
const BROKER = '--as=system:serviceaccount:bourse-system:bourse-broker'
const create = ['create', '--filename=-']
const tenant = '--namespace=team-a'
const people = { user: 'ada', groups: ['team'] }

/** As whom; the administrator unless said otherwise. */
let as: Record<'admin' | 'viewer' | 'requester' | 'operator' | 'rome' | 'broker', Kubectl>

beforeAll(async () => {
  const { kubectl, kubectlAs } = controlPlane()
  await kubectl(['apply', '--server-side', `--kustomize=${join(repositoryRoot, 'config/default')}`])
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  await kubectl(['create', 'namespace', 'team-a'])
  await kubectl(['annotate', 'namespace', 'team-a', 'broker.fluidos.eu/requesters=rome, team-a'])
  for (const [user, role] of [
    ['viewer', 'view'],
    ['requester', 'edit'],
    ['operator', 'admin'],
  ])
    for (const namespace of ['default', 'team-a'])
      await kubectl([
        'create',
        'rolebinding',
        `${user}s`,
        `--clusterrole=${role}`,
        `--user=${user}`,
        `--namespace=${namespace}`,
      ])
  await grantClusterRights(controlPlane(), 'rome')
  as = {
    admin: kubectl,
    viewer: await kubectlAs({ user: 'viewer' }),
    requester: await kubectlAs({ user: 'requester' }),
    operator: await kubectlAs({ user: 'operator' }),
    rome: await kubectlAs({ user: 'rome', groups: ['bourse:clusters'] }),
    broker: (args, manifest) => kubectl([BROKER, ...args], manifest),
  }
  await inForce()
})

/** Roles are aggregated, and policies compiled, a moment after they were made. */
async function inForce(): Promise<void> {
  const { kubectlAs } = controlPlane()
  const stranger = await kubectlAs(people)
  const may = (who: Kubectl, verb: string, what: string) =>
    who(['auth', 'can-i', verb, what]).then(
      () => true,
      () => false,
    )
  await eventually(
    'Roles are aggregated',
    async () => may(as.operator, 'create', 'clusteradvertisements.broker.fluidos.eu'),
    60_000,
  )
  await eventually(
    'Policies are in force',
    () =>
      as.requester([...create, '--dry-run=server'], JSON.stringify(aReservation('rsv-probe'))).then(
        () => false,
        (refusal: Error) => refusal.message.includes('bourse-mirrors'),
      ),
    60_000,
  )
  expect(await may(stranger, 'get', 'reservations.broker.fluidos.eu')).toBe(false)
}

describe('people', () => {
  const cases = [
    {
      who: 'viewer',
      can: ['get reservations', 'list clusteradvertisements'],
      cannot: ['create reservations', 'patch reservations/status', 'get journalslots'],
    },
    {
      who: 'requester',
      can: [
        'create reservations',
        'delete reservations',
        'patch reservations/status',
        'list clusteradvertisements',
      ],
      cannot: [
        'create clusteradvertisements',
        'mirror reservations',
        'get journalslots',
        'get snapshotchunks',
      ],
    },
    {
      who: 'operator',
      can: [
        'create clusteradvertisements',
        'patch clusteradvertisements',
        'deletecollection reservations',
      ],
      cannot: ['mirror reservations', 'mirror clusteradvertisements', 'update journalslots'],
    },
    {
      who: 'rome',
      can: ['create reservations', 'watch reservations', 'create clusteradvertisements'],
      cannot: [
        'get clusteradvertisements',
        'patch clusteradvertisements',
        'list clusteradvertisements',
        'watch clusteradvertisements',
        'mirror reservations',
        'patch clusteradvertisements/status',
        'get journalslots',
      ],
    },
  ] as const

  it.each(cases)('$who: may $can, may not $cannot', async ({ who, can, cannot }) => {
    const answer = (question: string) => {
      const [verb = '', resource = ''] = question.split(' ')
      const [plural, subresource] = resource.split('/')
      const sub = subresource ? [`--subresource=${subresource}`] : []
      const asked = as[who](['auth', 'can-i', verb, `${plural}.broker.fluidos.eu`, ...sub])
      return asked.then(
        () => 'yes',
        () => 'no',
      )
    }

    expect(await Promise.all(can.map(answer))).toEqual(can.map(() => 'yes'))
    expect(await Promise.all(cannot.map(answer))).toEqual(cannot.map(() => 'no'))
  })

  it('may apply the manifests of the contract under the default policies', async () => {
    const sample = (name: string) =>
      join(repositoryRoot, 'config/samples', `broker_v1alpha1_${name}.yaml`)

    await as.requester(['apply', `--filename=${sample('reservation')}`])
    await as.operator(['apply', `--filename=${sample('clusteradvertisement')}`])
  })
})

describe('the broker', () => {
  it.each([
    {
      verb: 'mirror',
      resource: 'reservations.broker.fluidos.eu',
      namespace: 'default',
      may: 'yes',
    },
    {
      verb: 'update',
      resource: 'journalslots.broker.fluidos.eu',
      namespace: 'bourse-system',
      may: 'yes',
    },
    {
      verb: 'delete',
      resource: 'journalslots.broker.fluidos.eu',
      namespace: 'bourse-system',
      may: 'no',
    },
    { verb: 'get', resource: 'journalslots.broker.fluidos.eu', namespace: 'default', may: 'no' },
    {
      verb: 'update',
      resource: 'leases.coordination.k8s.io/bourse-broker',
      namespace: 'bourse-system',
      may: 'yes',
    },
    {
      verb: 'watch',
      resource: 'leases.coordination.k8s.io/bourse-broker',
      namespace: 'bourse-system',
      may: 'yes',
    },
    {
      verb: 'watch',
      resource: 'leases.coordination.k8s.io',
      namespace: 'bourse-system',
      may: 'no',
    },
    { verb: 'update', resource: 'leases.coordination.k8s.io', namespace: 'kube-system', may: 'no' },
    { verb: 'create', resource: 'events.events.k8s.io', namespace: 'team-a', may: 'yes' },
    { verb: 'get', resource: 'secrets', namespace: 'bourse-system', may: 'no' },
    { verb: 'get', resource: 'secrets/bourse-broker-ca', namespace: 'bourse-system', may: 'no' },
    { verb: 'get', resource: 'configmaps', namespace: 'bourse-system', may: 'no' },
    { verb: 'list', resource: 'pods', namespace: 'bourse-system', may: 'no' },
  ])('$verb $resource in $namespace: $may', async ({ verb, resource, namespace, may }) => {
    const asked = as.broker(['auth', 'can-i', verb, resource, `--namespace=${namespace}`])

    expect(
      await asked.then(
        () => 'yes',
        () => 'no',
      ),
    ).toBe(may)
  })
})

describe('names of mirrors', () => {
  it.each([
    { manifest: aReservation('rsv-abcde-1'), prefix: 'rsv-' },
    { manifest: aClusterAdvertisement('rest-paris'), prefix: 'rest-' },
  ])('that begin with $prefix are given by the broker alone', async ({ manifest, prefix }) => {
    await expect(as.operator(create, JSON.stringify(manifest))).rejects.toThrow(
      `names that begin with ${prefix} are given by the broker alone: choose another name`,
    )
    expect(await as.broker(create, JSON.stringify(manifest))).toContain('created')
  })

  it('stand for something that is not changed here, but finalizers and labels may be', async () => {
    await as.broker(create, JSON.stringify(aReservation('rsv-abcde-2', { duration: '1h' })))
    const patch = ['patch', 'rsv', 'rsv-abcde-2', '--type=merge']

    const renewed = as.operator([...patch, '--patch={"spec":{"duration":"2h"}}'])
    await expect(renewed).rejects.toThrow('rsv-abcde-2 shows what came by REST')

    const freed = await as.operator([...patch, '--patch={"metadata":{"finalizers":null}}'])
    expect(freed).toContain('rsv-abcde-2')
  })
})

describe('a status', () => {
  const conditions = (...said: readonly [type: string, status: string][]) =>
    said.map(([type, status]) => ({ type, status }))
  const patchStatus = (who: Kubectl, name: string, status: object) =>
    who([
      'patch',
      ...name.split('/'),
      '--subresource=status',
      '--type=merge',
      `--patch=${JSON.stringify({ status })}`,
    ])

  beforeAll(async () => {
    await as.requester(create, JSON.stringify(aReservation('told')))
    await patchStatus(as.broker, 'rsv/told', {
      phase: 'Reserved',
      conditions: conditions(['Ready', 'True']),
    })
  })

  it("takes a requester's two conditions", async () => {
    const said = conditions(['Ready', 'True'], ['RequesterActive', 'True'])

    expect(await patchStatus(as.requester, 'rsv/told', { conditions: said })).toContain('patched')
  })

  it.each([
    { what: 'another phase', status: { phase: 'Active' } },
    { what: 'a target', status: { targetClusterID: 'paris' } },
    { what: "the broker's condition", status: { conditions: conditions(['Ready', 'False']) } },
    { what: "no condition of the broker's", status: { conditions: [] } },
    { what: 'no phase', status: { phase: null } },
  ])('takes from a requester not $what', async ({ status }) => {
    await expect(patchStatus(as.requester, 'rsv/told', status)).rejects.toThrow(
      'only the conditions RequesterActive and RequesterReleased can be set here',
    )
  })
})

describe('a cluster with the Kubernetes transport', () => {
  it('writes its own advertisement and reservations', async () => {
    const own = JSON.stringify(aClusterAdvertisement('cluster-rome', { clusterID: 'rome' }))
    // As its agent does: with a server-side apply.
    await as.rome(['apply', '--server-side', '--filename=-'], own)
    await as.rome(create, JSON.stringify(aReservation('of-rome')))

    expect(await as.rome(['get', 'cadv', 'cluster-rome', '--output=name'])).toContain(
      'cluster-rome',
    )
    expect(await as.rome(['delete', 'rsv', 'of-rome'])).toContain('deleted')
  })

  it('takes no name that belongs to another', async () => {
    const squatter = aClusterAdvertisement('cluster-athens', { clusterID: 'rome' })

    await expect(as.rome(create, JSON.stringify(squatter))).rejects.toThrow(
      'the advertisement of rome is called cluster-rome',
    )
  })

  it.each([
    { whose: 'has the same transport', name: 'cluster-oslo' },
    { whose: 'came by REST', name: 'rest-oslo' },
  ])("learns nothing of another's advertisement that $whose", async ({ name }) => {
    const oslo = JSON.stringify(aClusterAdvertisement(name, { clusterID: 'oslo' }))
    await as.broker(create, oslo)
    const json = (patch: object) => ['--type=json', `--patch=${JSON.stringify([patch])}`]
    // A patch that asks for a value is answered before any policy: one may try one after another.
    const probe = { op: 'test', path: '/spec/clusterID', value: 'oslo' }

    for (const attempt of [
      ['get', 'cadv', name],
      ['get', 'cadv', name, '--subresource=status'],
      ['get', 'cadv', `--field-selector=metadata.name=${name}`],
      ['patch', 'cadv', name, '--dry-run=server', ...json(probe)],
      ['delete', 'cadv', name, '--dry-run=server'],
    ])
      await expect(as.rome(attempt)).rejects.toThrow(/is forbidden: User "rome" cannot/)
  })

  it.each([
    aClusterAdvertisement('cluster-paris', { clusterID: 'paris' }),
    aReservation('for-paris', { requesterID: 'paris' }),
  ])('writes no $kind of another', async (manifest) => {
    await expect(as.rome(create, JSON.stringify(manifest))).rejects.toThrow(
      'rome speaks for itself only, not for paris',
    )
  })

  it("neither changes nor deletes what is another's", async () => {
    await as.admin(create, JSON.stringify(aReservation('of-paris', { requesterID: 'paris' })))
    const forItself = 'rome speaks for itself only, not for paris'
    const merge = (patch: object) => ['--type=merge', `--patch=${JSON.stringify(patch)}`]
    const value = { type: 'RequesterReleased', status: 'True' }
    const released = JSON.stringify([{ op: 'add', path: '/status/conditions/-', value }])

    await expect(as.rome(['delete', 'rsv', 'of-paris'])).rejects.toThrow(forItself)
    for (const patch of [
      ['rsv', 'of-paris', ...merge({ spec: { duration: '1h' } })],
      ['rsv', 'of-paris', '--subresource=status', '--type=json', `--patch=${released}`],
    ])
      await expect(as.rome(['patch', ...patch])).rejects.toThrow(forItself)
  })
})

describe('a namespace that was given to a tenant', () => {
  it.each(['rome', 'team-a'])('reserves for %s, who is listed', async (requesterID) => {
    const manifest = aReservation(`for-${requesterID}`, { requesterID })

    expect(await as.requester([...create, tenant], JSON.stringify(manifest))).toContain('created')
  })

  it('reserves for no other cluster', async () => {
    const manifest = JSON.stringify(aReservation('for-eve', { requesterID: 'eve' }))

    await expect(as.requester([...create, tenant], manifest)).rejects.toThrow(
      'namespace team-a may reserve for rome, team-a only, not for eve',
    )
    expect(await as.requester(create, manifest)).toContain('created')
  })

  it('still ends what it had before it was restricted', async () => {
    await as.requester([...create, tenant], JSON.stringify(aReservation('earlier')))
    const list = (requesters: string) =>
      as.admin([
        'annotate',
        'namespace',
        'team-a',
        '--overwrite',
        `broker.fluidos.eu/requesters=${requesters}`,
      ])
    await list('team-a')
    const renewal = ['patch', 'rsv', 'earlier', tenant, '--type=merge']

    const changed = await as.requester([...renewal, '--patch={"spec":{"duration":"1h"}}'])
    const deleted = await as.requester(['delete', 'rsv', 'earlier', tenant])
    await list('rome,team-a')

    expect(changed).toContain('patched')
    expect(deleted).toContain('deleted')
  })
})
