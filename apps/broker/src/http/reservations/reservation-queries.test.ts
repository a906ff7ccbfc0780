import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const wanting = (cpu: string, more: object = {}) => ({ requestedResources: { cpu }, ...more })

async function aMarket() {
  const api = await anApi()
  await api.advertise('paris')
  return api
}

describe('GET /reservations', () => {
  it('lists what is one’s own, as requester and as provider', async () => {
    const { get, post, advertise } = await aMarket()
    await advertise('rome')
    await post('rome', '/reservations', wanting('1', { targetClusterID: 'paris' }))
    await post('oslo', '/reservations', wanting('2', { targetClusterID: 'rome' }))
    await post('oslo', '/reservations', wanting('3', { targetClusterID: 'paris' }))

    const all = await get('rome', '/reservations')
    const asRequester = await get('rome', '/reservations?role=requester')
    const asProvider = await get('rome', '/reservations?role=provider')

    expect(all.body.items).toMatchObject([
      { requesterID: 'rome', targetClusterID: 'paris' },
      { requesterID: 'oslo', targetClusterID: 'rome' },
    ])
    expect(asRequester.body.items).toMatchObject([{ requesterID: 'rome' }])
    expect(asProvider.body.items).toMatchObject([{ requesterID: 'oslo' }])
  })

  it('lists what one requester holds, or one provider, live and ended', async () => {
    const { get, post, remove, advertise } = await aMarket()
    await advertise('rome')
    const ended = await post('rome', '/reservations', wanting('1', { targetClusterID: 'paris' }))
    await remove('rome', `/reservations/${ended.body.id}`)
    await post('rome', '/reservations', wanting('2', { targetClusterID: 'paris' }))
    await post('oslo', '/reservations', wanting('3', { targetClusterID: 'rome' }))
    await post('oslo', '/reservations', wanting('4', { targetClusterID: 'paris' }))
    const amounts = async (caller: string, query: string) => {
      const { body } = await get(caller, `/reservations?${query}`)
      return body.items.map(
        (one: { requestedResources: { cpu: string } }) => one.requestedResources.cpu,
      )
    }

    expect(await amounts('operator', 'requesterID=oslo')).toEqual(['3', '4'])
    expect(await amounts('operator', 'providerID=paris')).toEqual(['2', '4'])
    expect(await amounts('operator', 'providerID=paris&requesterID=oslo')).toEqual(['4'])
    expect(await amounts('operator', 'requesterID=rome&phase=Released')).toEqual(['1'])
    expect(await amounts('operator', 'requesterID=nosuch')).toEqual([])
    expect(await amounts('rome', 'providerID=rome')).toEqual(['3'])
    expect(await amounts('rome', 'requesterID=oslo&providerID=paris')).toEqual([])
  })

  it('marks what a silent provider holds as in doubt, and lists what is draining', async () => {
    const { get, post, remove, clock } = await aMarket()
    const held = await post('rome', '/reservations', wanting('1'))
    const drained = await post('rome', '/reservations', wanting('2'))
    await post('rome', `/reservations/${drained.body.id}/activate`)
    await remove('rome', `/reservations/${drained.body.id}`)
    clock.at += 10 * 60_000
    await post('rome', '/reservations', wanting('1'))

    const doubtful = await get('rome', `/reservations/${held.body.id}`)
    const ended = await get('rome', '/reservations?phase=Released')

    expect(doubtful.body.status).toMatchObject({
      phase: 'Reserved',
      inDoubt: true,
      message: 'Reserved on paris, in doubt: paris has been silent for too long',
    })
    expect(ended.body.items).toMatchObject([{ id: drained.body.id }])
  })

  it('tells both sides at once that a provider withdraws, and when it ends', async () => {
    const { get, post, clock } = await aMarket()
    const { body, headers } = await post('rome', '/reservations', wanting('1', { duration: '3h' }))
    const after = headers['bourse-index']
    const polls = Promise.all([
      get('rome', `/reservations?wait=30s&after=${after}`),
      get('paris', `/instructions?wait=30s&after=${after}`),
      get('rome', `/reservations/${body.id}?wait=30s&after=${after}`),
    ])

    await post('paris', '/advertisements/paris/withdraw', { grace: '10m' })

    const [listed, instructed, one] = await polls
    const until = new Date(clock.at + 10 * 60_000).toISOString()
    expect(listed.body.items).toMatchObject([{ id: body.id, status: { expiresAt: until } }])
    expect(instructed.body).toHaveLength(1)
    expect(one.body.status.message).toBe(
      `Reserved on paris, until ${until}: its provider is withdrawing`,
    )
    const renewed = await post('rome', `/reservations/${body.id}/renew`, { duration: '5h' })
    expect(renewed.body.status.expiresAt).toBe(until)
  })

  it('pages through live and ended ones, each once', async () => {
    const { get, post, remove } = await aMarket()
    const ids: string[] = []
    for (const cpu of ['1', '2', '3', '4m']) {
      const { body } = await post('rome', '/reservations', wanting(cpu))
      ids.push(body.id)
    }
    await remove('rome', `/reservations/${ids[0]}`)
    await remove('rome', `/reservations/${ids[1]}`)
    const url = '/reservations?phase=Reserved,Released&limit=3'

    const first = await get('operator', url)
    const second = await get('operator', `${url}&cursor=${first.body.nextCursor}`)

    const shown = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id)
    expect(shown).toEqual([ids[2], ids[3], ids[1], ids[0]])
    expect(second.body).not.toHaveProperty('nextCursor')
  })

  it('continues after the page before, also when that page ends with the last live one', async () => {
    const { get, post, remove } = await aMarket()
    const ended = await post('rome', '/reservations', wanting('1'))
    await remove('rome', `/reservations/${ended.body.id}`)
    await post('rome', '/reservations', wanting('2'))
    const url = '/reservations?phase=Reserved,Released&limit=1'

    const first = await get('rome', url)
    const second = await get('rome', `${url}&cursor=${first.body.nextCursor}`)

    expect(first.body.items).toMatchObject([{ status: { phase: 'Reserved' } }])
    expect(second.body.items).toMatchObject([{ id: ended.body.id }])
  })

  it('lists what has just ended, before the history on disk does', async () => {
    const listEnded = async () => []
    const ended = async () => undefined
    const decision = async () => undefined
    const { get, post, remove, advertise } = await anApi({
      history: { listEnded, ended, decision },
    })
    await advertise('paris')
    const { body } = await post('rome', '/reservations', wanting('1'))
    await remove('rome', `/reservations/${body.id}`)

    const own = await get('rome', '/reservations?phase=Released')
    const provided = await get('rome', '/reservations?phase=Released&role=provider')

    expect(own.body.items).toMatchObject([{ id: body.id, status: { phase: 'Released' } }])
    expect(provided.body.items).toEqual([])
  })

  it.each([
    { query: 'role=boss', path: 'role' },
    { query: 'phase=Lost', path: 'phase' },
    { query: 'limit=0', path: 'limit' },
    { query: 'limit=1001', path: 'limit' },
    { query: 'limit=', path: 'limit' },
    { query: 'limit=0x10', path: 'limit' },
    { query: 'cursor=e30', path: 'cursor' },
    { query: 'wait=soon', path: 'wait' },
    { query: 'wait=1s&after=-1', path: 'after' },
    { query: 'wait=1s&after=', path: 'after' },
    { query: 'wait=1s&after=1e3', path: 'after' },
    { query: 'wait=1s&after=9007199254740993', path: 'after' },
    { query: 'wait=1s&wait=2s', path: 'wait' },
  ])('refuses ?$query and names the parameter', async ({ query, path }) => {
    const { get } = await anApi()

    const { status, body } = await get('rome', `/reservations?${query}`)

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path }])
  })
})

describe('GET /instructions', () => {
  it('is an empty array when nothing is held', async () => {
    const { get } = await anApi()

    const { status, body } = await get('paris', '/instructions')

    expect(status).toBe(200)
    expect(body).toEqual([])
  })

  it('is a bare array of what is held on the caller', async () => {
    const { get, post } = await aMarket()
    await post('rome', '/reservations', wanting('2'))

    const { body, headers } = await get('paris', '/instructions')

    expect(body).toMatchObject([{ requesterID: 'rome', requestedResources: { cpu: '2' } }])
    expect(headers['bourse-index']).toBe('2')
  })
})

describe('long polls', () => {
  it('answer as soon as the set differs, with the whole set', async () => {
    const { get, post } = await aMarket()

    const poll = get('paris', '/instructions?wait=30s&after=1')
    await post('rome', '/reservations', wanting('2'))
    const { body, headers } = await poll

    expect(body).toHaveLength(1)
    expect(headers['bourse-index']).toBe('2')
  })

  it('answer at once when the set has differed since that index', async () => {
    const { get, post } = await aMarket()
    await post('rome', '/reservations', wanting('2'))

    const { body } = await get('paris', '/instructions?wait=30s&after=1')

    expect(body).toHaveLength(1)
  })

  it('answer at once to an index that this ledger never had', async () => {
    const { get } = await aMarket()

    const { status, headers } = await get('paris', '/instructions?wait=30s&after=999')

    expect(status).toBe(200)
    expect(headers['bourse-index']).toBe('1')
  })

  it('answer after the wait when nothing differs', async () => {
    const { get } = await aMarket()

    const { body } = await get('paris', '/instructions?wait=5ms&after=1')

    expect(body).toEqual([])
  })

  it('wait from arrival on without an index', async () => {
    const { get, post } = await aMarket()
    await post('rome', '/reservations', wanting('1'))

    const poll = get('paris', '/instructions?wait=30s')
    await post('rome', '/reservations', wanting('2'))

    expect((await poll).body).toHaveLength(2)
  })

  it('are woken for their own cluster only', async () => {
    const { get, post, advertise, api } = await aMarket()
    await advertise('berlin')
    const answered: string[] = []
    const paris = get('paris', '/instructions?wait=30s').then(() => answered.push('paris'))
    const berlin = get('berlin', '/instructions?wait=30s').then(() => answered.push('berlin'))

    await post('rome', '/reservations', wanting('2', { targetClusterID: 'berlin' }))
    await berlin

    expect(answered).toEqual(['berlin'])
    api.endWaits({ closing: true })
    await paris
  })

  it('also wait for one reservation and for the requester’s own list', async () => {
    const { get, post } = await aMarket()
    const { body, headers } = await post('rome', '/reservations', wanting('2'))
    const after = headers['bourse-index']

    const one = get('rome', `/reservations/${body.id}?wait=30s&after=${after}`)
    const list = get('rome', `/reservations?wait=30s&after=${after}`)
    await post('rome', `/reservations/${body.id}/activate`)

    expect((await one).body.status.phase).toBe('Active')
    expect((await list).body.items).toMatchObject([{ status: { phase: 'Active' } }])
  })

  it('are answered when the broker drains, and no longer held then', async () => {
    const { get, api } = await aMarket()
    const poll = get('paris', '/instructions?wait=30s')
    await get('paris', '/instructions')

    api.endWaits({ closing: true })
    const late = await get('paris', '/instructions?wait=30s')

    expect([(await poll).status, late.status]).toEqual([200, 200])
  })
})
