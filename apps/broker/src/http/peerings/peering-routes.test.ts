import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const ID = `ps-${'a'.repeat(26)}`
const OTHER_ID = `ps-${'b'.repeat(26)}`
const opening = { providerID: 'paris', networking: 'none', hello: 'sealed hello' }
const HOUR_MS = 3_600_000

/** rome borrows from paris; oslo has nothing to do with it. */
async function aPair() {
  const api = await anApi()
  await api.advertise('paris')
  const { body } = await api.post('rome', '/reservations', { requestedResources: { cpu: '1' } })
  return { ...api, reservation: `/reservations/${body.id}` }
}

async function aSession() {
  const api = await aPair()
  await api.put('rome', `/peerings/${ID}`, opening)
  const say = (as: string, step: string, sealed = `sealed ${step}`) =>
    api.post(as, `/peerings/${ID}/messages`, { step, sealed })
  return { ...api, say }
}

describe('PUT /peerings/{id}', () => {
  it('opens a session with a provider that one borrows of', async () => {
    const { put } = await aPair()

    const opened = await put('rome', `/peerings/${ID}`, opening)

    expect(opened.status).toBe(201)
    expect(opened.body).toEqual({
      id: ID,
      requesterID: 'rome',
      providerID: 'paris',
      networking: 'none',
      state: 'open',
      messages: { hello: { sealed: 'sealed hello', postedAt: '2026-11-01T12:00:00.000Z' } },
      steps: { hello: '2026-11-01T12:00:00.000Z' },
      openedAt: '2026-11-01T12:00:00.000Z',
      expiresAt: '2026-11-01T13:00:00.000Z',
    })
  })

  it('is harmless when repeated', async () => {
    const { put } = await aPair()
    await put('rome', `/peerings/${ID}`, opening)

    const again = await put('rome', `/peerings/${ID}`, opening)

    expect(again.status).toBe(200)
  })

  it('replaces the session that the pair had', async () => {
    const { put, get } = await aSession()

    await put('rome', `/peerings/${OTHER_ID}`, opening)

    const { body } = await get('paris', '/peerings')
    expect(body.items).toMatchObject([{ id: OTHER_ID }])
  })

  it.each([
    { name: 'a provider of which nothing is reserved', as: 'rome', providerID: 'oslo' },
    { name: 'a cluster that has reserved nothing', as: 'oslo', providerID: 'paris' },
    { name: 'the provider itself', as: 'paris', providerID: 'rome' },
  ])('is refused for $name', async ({ as, providerID }) => {
    const { put } = await aPair()

    const refused = await put(as, `/peerings/${ID}`, { ...opening, providerID })

    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'NoReservation',
      detail: `${as} has no live reservation on ${providerID}, so there is nothing to peer for.`,
    })
  })

  it('is refused under an id that another pair has', async () => {
    const { put, post } = await aSession()
    await post('oslo', '/reservations', { requestedResources: { cpu: '1' } })

    const refused = await put('oslo', `/peerings/${ID}`, opening)

    expect([refused.status, refused.body.code]).toEqual([409, 'PeeringIdTaken'])
  })

  it('names every field that is not acceptable', async () => {
    const { put } = await aPair()

    const body = { networking: 'ipsec', hello: 'x'.repeat(16 * 1024 + 1) }
    const refused = await put('rome', `/peerings/${ID}`, body)
    const badId = await put('rome', '/peerings/mine', opening)

    expect(refused.status).toBe(400)
    expect(refused.body.fields).toEqual([
      { path: 'providerID', message: 'is missing' },
      { path: 'networking', message: 'must be one of none, wireguard' },
      { path: 'hello', message: 'is longer than 16384 characters' },
    ])
    expect(badId.body.fields).toEqual([
      { path: 'id', message: "must be 'ps-' and 26 random characters of a-z and 2-7" },
    ])
  })
})

describe('POST /peerings/{id}/messages', () => {
  it('carries what one side says to the other, and only that side', async () => {
    const { say, get } = await aSession()

    const nonce = await say('paris', 'nonce')
    const forged = await say('rome', 'grant')
    const stranger = await say('oslo', 'nonce')

    expect(nonce.status).toBe(200)
    expect((await get('rome', `/peerings/${ID}`)).body.messages.nonce.sealed).toBe('sealed nonce')
    expect(forged.status).toBe(403)
    expect(forged.body.detail).toBe("'grant' may not be posted by the requester.")
    expect([stranger.status, stranger.body.code]).toEqual([404, 'PeeringNotFound'])
  })

  it('an operator may look, and cannot post for a cluster', async () => {
    const { say, get } = await aSession()

    const said = await say('operator', 'nonce')

    expect(said.status).toBe(404)
    expect((await get('operator', `/peerings/${ID}`)).body.messages.hello.sealed).toBeDefined()
  })

  it('with ready drops what is no longer needed, and keeps when it was said', async () => {
    const { say } = await aSession()
    await say('paris', 'nonce')
    await say('rome', 'tenant')
    await say('paris', 'grant')

    const ready = await say('rome', 'ready')

    expect(ready.body.state).toBe('established')
    expect(Object.keys(ready.body.messages)).toEqual(['hello', 'nonce', 'ready'])
    expect(Object.keys(ready.body.steps)).toEqual(['hello', 'nonce', 'tenant', 'grant', 'ready'])
    expect(ready.body.expiresAt).toBeUndefined()
  })

  it('names the field that is not acceptable', async () => {
    const { say } = await aSession()

    const refused = await say('rome', 'farewell', '')

    expect(refused.body.fields).toEqual([
      {
        path: 'step',
        message: 'must be one of hello, nonce, tenant, grant, gateway, tunnel, ready, goodbye',
      },
      { path: 'sealed', message: 'is empty' },
    ])
  })
})

describe('POST /peerings/{id}/trouble', () => {
  it('tells both what a side is stuck on', async () => {
    const { post, get } = await aSession()
    const trouble = { reason: 'NoRoute', message: '192.0.2.7:6443 does not answer.' }

    await post('paris', `/peerings/${ID}/trouble`, trouble)

    const { body } = await get('rome', `/peerings/${ID}`)
    expect(body.trouble).toEqual({ provider: trouble })
  })

  it('wants a reason that is one word', async () => {
    const { post } = await aSession()

    const refused = await post('paris', `/peerings/${ID}/trouble`, {
      reason: 'no route',
      message: '',
    })

    expect(refused.body.fields).toEqual([
      {
        path: 'reason',
        message: 'must be one word that begins with a capital, such as ApiServerUnreachable',
      },
    ])
  })
})

describe('DELETE /peerings/{id}', () => {
  it.each(['rome', 'paris', 'operator'])('ends it, by %s', async (who) => {
    const { remove, get } = await aSession()

    const closed = await remove(who, `/peerings/${ID}`)

    expect(closed.status).toBe(204)
    expect((await get('rome', `/peerings/${ID}`)).body.code).toBe('PeeringNotFound')
    expect((await remove(who, `/peerings/${ID}`)).status).toBe(404)
  })

  it('names the operator and the reason, in the event and in the log', async () => {
    const { call, writer, lines } = await aSession()
    const events: LedgerEvent[] = []
    writer.subscribe((committed) => void events.push(...committed.events))
    const headers = { 'bourse-reason': 'rack 7 moves' }

    await call('operator', { method: 'DELETE', url: `/peerings/${ID}`, headers })

    const signature = { by: 'operator:operator@rest', why: 'rack 7 moves' }
    expect(events).toMatchObject([{ kind: 'peeringClosed', ...signature }])
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'peering closed', ...signature })
  })

  it('is not for others', async () => {
    const { remove, get } = await aSession()

    const refused = await remove('oslo', `/peerings/${ID}`)

    expect(refused.status).toBe(404)
    expect((await get('rome', `/peerings/${ID}`)).status).toBe(200)
  })
})

describe('GET /peerings', () => {
  it('shows each side its own, operators all of them without what is sealed', async () => {
    const { get } = await aSession()

    const mine = await get('rome', '/peerings')
    const lent = await get('paris', '/peerings?role=provider')
    const asRequester = await get('paris', '/peerings?role=requester')
    const stranger = await get('oslo', '/peerings')
    const all = await get('operator', '/peerings')

    expect(mine.body.items).toMatchObject([{ id: ID, messages: { hello: {} } }])
    expect(lent.body.items).toMatchObject([{ id: ID, messages: { hello: {} } }])
    expect(asRequester.body.items).toEqual([])
    expect(stranger.body.items).toEqual([])
    expect(all.body.items).toMatchObject([{ id: ID, messages: {}, steps: { hello: {} } }])
    expect(all.body.items[0].messages).toEqual({})
  })

  it('waits for the next word', async () => {
    const { get, say } = await aSession()
    const { headers } = await get('rome', '/peerings')

    const waiting = get('rome', `/peerings?wait=30s&after=${headers['bourse-index']}`)
    await say('paris', 'nonce')

    expect((await waiting).body.items).toMatchObject([{ messages: { nonce: {} } }])
  })

  it('pages by id', async () => {
    const { get, put, post, advertise } = await aSession()
    await advertise('rome')
    const lent = { requestedResources: { cpu: '1' }, targetClusterID: 'rome' }
    await post('paris', '/reservations', lent)
    await put('paris', `/peerings/${OTHER_ID}`, { ...opening, providerID: 'rome' })

    const first = await get('rome', '/peerings?limit=1')
    const second = await get('rome', `/peerings?limit=1&cursor=${first.body.nextCursor}`)

    expect(first.body.items).toMatchObject([{ id: ID }])
    expect(second.body).toMatchObject({ items: [{ id: OTHER_ID }] })
    expect(second.body.nextCursor).toBeUndefined()
  })

  it('forgets a session an hour after its last word', async () => {
    const { get, clock, advertise } = await aSession()
    clock.at += HOUR_MS
    await advertise('paris')

    expect((await get('rome', '/peerings')).body.items).toEqual([])
  })

  it('finds the session of one pair', async () => {
    const { get } = await aSession()

    const found = await get('operator', '/peerings?requesterID=rome&providerID=paris')
    const none = await get('operator', '/peerings?requesterID=paris')

    expect(found.body.items).toMatchObject([{ id: ID }])
    expect(none.body.items).toEqual([])
  })

  it('refuses a role that there is not', async () => {
    const { get } = await aSession()

    const refused = await get('rome', '/peerings?role=owner')

    expect(refused.body.fields).toEqual([
      { path: 'role', message: "'owner' is not requester, provider or party" },
    ])
  })
})
