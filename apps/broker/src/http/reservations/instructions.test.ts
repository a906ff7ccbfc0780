import { describe, expect, it } from 'vitest'
import { anApi, type Reply } from '../../../fixtures/http/server/api.ts'

const supplying = (supply: object) => ({
  resources: { capacity: supply, allocatable: supply, allocated: {} },
})

/** Paris holds something of Rome's; `told` is that, wherever Paris reads of it. */
async function aHolding(supply: object, wanted: object) {
  const api = await anApi()
  await api.advertise('paris', supplying(supply))
  const { body } = await api.post('rome', '/reservations', {
    requestedResources: wanted,
    duration: '3h',
  })
  const listed = ({ body }: Reply) => body.items[0]
  const told = async () => [
    (await api.advertise('paris', supplying(supply))).body.providerInstructions[0],
    (await api.get('paris', '/instructions')).body[0],
    listed(await api.get('paris', '/reservations')),
    listed(await api.get('paris', '/reservations?role=provider')),
    (await api.get('paris', `/reservations/${body.id}`)).body,
  ]
  return { ...api, told }
}

describe('what a provider is told', () => {
  it('has the end that its withdrawal sets, until it opens again', async () => {
    const { told, post, clock } = await aHolding({ cpu: '10' }, { cpu: '1' })
    const [before] = await told()

    await post('paris', '/advertisements/paris/withdraw', { grace: '10m' })
    const withdrawn = await told()
    await post('paris', '/advertisements/paris/uncordon')

    const expiresAt = new Date(clock.at + 10 * 60_000).toISOString()
    expect(withdrawn.map(({ status }) => status.expiresAt)).toEqual(Array(5).fill(expiresAt))
    expect(withdrawn[0].status.message).toContain(`until ${expiresAt}: its provider is withdrawing`)
    expect(await told()).toEqual(Array(5).fill(before))
  })

  it.each([
    { provider: 'gpu', requester: 'nvidia.com/gpu', shown: 'gpu' },
    { provider: 'nvidia.com/gpu', requester: 'gpu', shown: 'nvidia.com/gpu' },
    { provider: 'gpu', requester: 'gpu', shown: 'gpu' },
    { provider: 'nvidia.com/gpu', requester: 'nvidia.com/gpu', shown: 'nvidia.com/gpu' },
  ])('is $shown where it advertises $provider and $requester was asked for', async (names) => {
    const { told } = await aHolding(
      { cpu: '10', [names.provider]: '4' },
      { [names.requester]: '1' },
    )

    const resources = (await told()).map(({ requestedResources }) => requestedResources)

    expect(resources).toEqual(Array(5).fill({ [names.shown]: '1' }))
  })

  it('keeps the words of the requester for what the provider no longer advertises', async () => {
    const { get, advertise } = await aHolding({ cpu: '10', 'nvidia.com/gpu': '4' }, { gpu: '1' })

    const published = await advertise('paris', supplying({ cpu: '10' }))

    const { body } = await get('paris', '/instructions')
    expect(body).toMatchObject([{ requestedResources: { gpu: '1' } }])
    expect(published.body.providerInstructions).toEqual(body)
  })
})
