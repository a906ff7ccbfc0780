import type { LedgerView } from '@bourse/domain/ledger'
import { describe, expect, it, vi } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'
import { tellHolders } from './tell-holders.ts'

const wanting = (cpu: string, more: object = {}) => ({ requestedResources: { cpu }, ...more })

async function aMarket() {
  const api = await anApi()
  await api.advertise('paris')
  return api
}

describe('a requester with a reservation on a provider', () => {
  it('hears at once of one reservation whose provider has withdrawn since', async () => {
    const { get, post } = await aMarket()
    const { body, headers } = await post('rome', '/reservations', wanting('1', { duration: '3h' }))
    await post('paris', '/advertisements/paris/withdraw', { grace: '10m' })
    await get('paris', '/instructions')

    const one = await get(
      'rome',
      `/reservations/${body.id}?wait=60s&after=${headers['bourse-index']}`,
    )

    expect(one.body.status.message).toContain('its provider is withdrawing')
  })

  it.each([
    { name: 'nothing else new', more: {} },
    { name: 'something else new', more: { clusterName: 'paris two' } },
  ])('hears that it falls silent, and that it is back with $name', async ({ more }) => {
    const { get, post, advertise, clock } = await aMarket()
    const { body } = await post('rome', '/reservations', wanting('1'))
    const watch = (after: unknown) =>
      Promise.all([
        get('rome', `/reservations?wait=60s&after=${after}`).then((list) => list.body.items[0]),
        get('rome', `/reservations/${body.id}?wait=60s&after=${after}`).then((one) => one.body),
      ])

    const silent = watch(2)
    clock.at += 10 * 60_000
    await advertise('berlin')
    const inDoubt = { status: { inDoubt: true, message: expect.stringContaining('in doubt') } }
    expect(await silent).toMatchObject([inDoubt, inDoubt])

    const back = watch(3)
    await advertise('paris', more)
    const [listed, one] = await back
    expect([listed.status.inDoubt, one.status.inDoubt]).toEqual([undefined, undefined])
  })

  it('hears where it is reached as soon as it has moved', async () => {
    const { get, post, advertise } = await aMarket()
    const { body, headers } = await post('rome', '/reservations', wanting('1'))
    const url = `/reservations/${body.id}?wait=60s&after=${headers['bourse-index']}`

    const poll = get('rome', url)
    await advertise('paris', { endpointURL: 'https://paris.example:6443' })

    expect((await poll).body.endpointURL).toBe('https://paris.example:6443')
  })

  it('is not disturbed by what it does not see', async () => {
    const { get, post, advertise, api } = await aMarket()
    const { headers } = await post('rome', '/reservations', wanting('1'))
    let isAnswered = false
    const poll = get('rome', `/reservations?wait=60s&after=${headers['bourse-index']}`).then(() => {
      isAnswered = true
    })

    await advertise('paris', { clusterName: 'paris two' })
    await post('paris', '/advertisements/paris/cordon')
    await get('rome', '/reservations')

    expect(isAnswered).toBe(false)
    api.endWaits({ closing: true })
    await poll
  })

  it('hears of it, with room for others, when every provider of many falls silent', async () => {
    const told: string[] = []
    const view = { heldOn: () => Array(6_000).fill({ requester: 'rome' }) }
    const read = vi.fn(async (query) => query(view as unknown as LedgerView, 2))
    const publish = tellHolders({
      writer: { read },
      feed: { concern: (provider) => told.push(provider) },
      noteOf: () => ({ isStale: true }),
      clusterIds: [],
    })

    const events = ['paris', 'berlin', 'oslo'].map(
      (clusterId) => ({ kind: 'staled', at: 0, clusterId }) as const,
    )
    publish({ index: 2, at: 0, events })

    await expect.poll(() => told).toEqual(['paris', 'berlin', 'oslo'])
    expect(read).toHaveBeenCalledTimes(3)
  })

  it('hears of it with the next commit, when it could not be looked up at first', async () => {
    const { writer, post, advertise } = await aMarket()
    await post('rome', '/reservations', wanting('1'))
    const told: string[] = []
    let trouble: Error | undefined = new Error('The journal cannot commit.')
    const publish = tellHolders({
      writer: { read: (query) => (trouble ? Promise.reject(trouble) : writer.read(query)) },
      feed: { concern: (provider, holders) => told.push(provider, ...holders) },
      noteOf: () => ({ isStale: true }),
      clusterIds: [],
    })
    writer.subscribe(publish)

    await post('paris', '/advertisements/paris/withdraw', { grace: '10m' })
    trouble = undefined
    await advertise('berlin')

    await expect.poll(() => told).toEqual(['paris', 'rome'])
  })
})
