import { join } from 'node:path'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { aResourceRequest } from './manifests.ts'

const controlPlane = useControlPlane({ kinds: bourseKinds })
const config = (path: string) => join(repositoryRoot, 'config', path)
const kubectl = (...args: string[]) => controlPlane().kubectl(args)
/** ana may edit shop and bank; root may do everything. */
const ask = (name: string, offload: object, ...as: string[]) =>
  controlPlane().kubectl(
    ['create', '--namespace=shop', '--filename=-', ...as],
    JSON.stringify(aResourceRequest(name, { offload })),
  )
const ANA = '--as=ana'
const MANY = Array.from({ length: 15 }, (_, nth) => `shop-${nth}`)

beforeAll(async () => {
  await kubectl('apply', `--filename=${config('agent-admission/offloading.yaml')}`)
  for (const namespace of ['shop', 'bank', 'vault']) await kubectl('create', 'namespace', namespace)
  await kubectl('apply', `--filename=${config('agent-rbac/users.yaml')}`)
  for (const namespace of ['shop', 'bank'])
    await kubectl(
      ...['create', 'rolebinding', 'ana', `--namespace=${namespace}`, '--user=ana'],
      '--clusterrole=bourse-agent-requester',
    )
  const refusal = () => ask('probe', { namespaces: ['vault'] }, ANA, '--dry-run=server')
  await eventually(
    'the policy is in force',
    () =>
      refusal().then(
        () => false,
        ({ message }: Error) => message.includes('may not offload'),
      ),
    60_000,
  )
})

describe('what a ResourceRequest offloads', () => {
  it.each([
    {
      why: 'no namespace',
      offload: { namespaces: [] },
      sentence: 'name at least one namespace, or select some by their labels',
    },
    {
      why: 'a name that no namespace can have',
      offload: { namespaces: ['Shop'] },
      sentence: 'this cannot be the name of a namespace',
    },
    {
      why: 'a strategy that there is not',
      offload: { namespaces: ['shop'], strategy: 'Away' },
      sentence: 'supported values: "Local", "Remote", "LocalAndRemote"',
    },
  ])('is refused with a sentence: $why', async ({ offload, sentence }) => {
    await expect(ask('refused', offload)).rejects.toThrow(sentence)
  })

  it('cannot be changed, and runs in both places unless told otherwise', async () => {
    await ask('first', { namespaces: ['shop'] })

    const strategy = '--output=jsonpath={.spec.offload.strategy}'
    expect(await kubectl('get', 'rreq', 'first', '--namespace=shop', strategy)).toBe(
      'LocalAndRemote',
    )
    const change = '--patch={"spec":{"offload":{"namespaces":["bank"]}}}'
    await expect(
      kubectl('patch', 'rreq', 'first', '--namespace=shop', '--type=merge', change),
    ).rejects.toThrow('offload cannot be changed: delete this object and make another one')
  })
})

describe('the author of a ResourceRequest', () => {
  it('offloads namespaces that he may edit', async () => {
    expect(await ask('mine', { namespaces: ['shop', 'bank'] }, ANA)).toContain('mine created')
  })

  it('is refused for a namespace of others, wherever it stands in the list', async () => {
    await expect(ask('theirs', { namespaces: ['shop', 'vault'] }, ANA)).rejects.toThrow(
      'ana may not offload namespace vault: that takes the verb offload on resourcerequests there',
    )
  })

  it('selects namespaces by labels only if he may edit them all', async () => {
    const selector = { matchLabels: { team: 'blue' } }

    await expect(ask('any', { selector }, ANA)).rejects.toThrow('may not offload every namespace')
    expect(await ask('any', { selector })).toContain('any created')
  })

  it('may name as many as the schema lets it', async () => {
    expect(await ask('many', { namespaces: ['shop', ...MANY] })).toContain('many created')
    await expect(ask('many', { namespaces: ['shop', ...MANY] }, ANA)).rejects.toThrow(
      'ana may not offload namespace shop-0',
    )
  })

  it('is asked about every namespace that the schema lets a request name', async () => {
    const json = async (...args: string[]) => JSON.parse(await kubectl('get', ...args, '-o=json'))
    const { spec: policy } = await json('validatingadmissionpolicy', 'bourse-offloading')
    const { spec: definition } = await json('crd', 'resourcerequests.liqo.io')

    const { spec } = definition.versions[0].schema.openAPIV3Schema.properties
    const { maxItems } = spec.properties.offload.properties.namespaces
    // One more, about selectors.
    expect(policy.validations).toHaveLength(maxItems + 1)
  })

  it('is not asked for anything where nothing is offloaded', async () => {
    const plain = JSON.stringify(aResourceRequest('plain'))

    const made = await controlPlane().kubectl(
      ['create', '--namespace=shop', '--filename=-', ANA],
      plain,
    )

    expect(made).toContain('plain created')
  })
})
