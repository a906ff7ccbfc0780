import { describe, expect, it, vi } from 'vitest'
import { advertisement, anApi, aRate } from '../../../fixtures/http/server/api.ts'
import { createFairShare, createJournalBudget } from '../../fair-share/index.ts'
import { ExplainerBusy } from '../../store/replay/explainer.ts'
import { accountOf } from './charge-requests.ts'

const KIB = 1024
const JSON_TYPE = { 'content-type': 'application/json' }

function aLargeBody(bytes: number, labels: object = {}): string {
  const body = advertisement('rome', { labels })
  return JSON.stringify({ ...body, unknown: 'x'.repeat(bytes) })
}

describe('what a request costs', () => {
  it('is one for small ones, and more for each KiB of a large body', async () => {
    // Never filled again: what is left is what was not taken.
    const { share } = aRate({ perSecond: 1e-9, burst: 1_000 })
    const { post, call } = await anApi({ share })
    await post('rome', '/advertisements', advertisement('rome'))

    const large = await call('rome', {
      method: 'POST',
      url: '/advertisements',
      headers: JSON_TYPE,
      payload: aLargeBody(504 * KIB),
    })

    expect(large.status).toBe(200)
    // 1,000 - 1 - (1 + 500) and something for what the body holds beside, or for a long parsing.
    expect(share.rate.take('rome', 490)).toBeUndefined()
    expect(share.rate.take('rome', 30)).toBeGreaterThan(0)
  })

  it('is asked for before a large body is read; small ones still pass', async () => {
    const { post, call } = await anApi(aRate({ perSecond: 1, burst: 400 }))
    const send = () =>
      call('rome', {
        method: 'POST',
        url: '/advertisements',
        headers: JSON_TYPE,
        payload: aLargeBody(300 * KIB),
      })
    const parse = vi.spyOn(JSON, 'parse')

    const first = await send()
    const parsedBefore = parse.mock.calls.filter(([text]) => text.length > 300 * KIB).length
    const second = await send()
    const parsed = parse.mock.calls.filter(([text]) => text.length > 300 * KIB).length
    parse.mockRestore()
    const small = await post('rome', '/advertisements', advertisement('rome'))

    expect([first.status, second.status, small.status]).toEqual([200, 429, 200])
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(100)
    expect([parsedBefore, parsed]).toEqual([1, 1])
  })

  it('is taken of an operator for itself, though a cluster has its name', () => {
    const asCluster = accountOf({ id: 'ana', isOperator: false })
    const asOperator = accountOf({ id: 'ana', isOperator: true })

    expect(asOperator).not.toBe(asCluster)
  })

  it('is taken for /healthz as well', async () => {
    const { get } = await anApi(aRate({ perSecond: 1, burst: 2 }))

    const replies = [
      await get('rome', '/healthz'),
      await get('rome', '/healthz'),
      await get('rome', '/healthz'),
    ]

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  it('is more for a long address, of which the answer tells the beginning', async () => {
    const { share } = aRate({ perSecond: 1e-9, burst: 100 })
    const { get } = await anApi({ share })

    const { status, body } = await get('rome', `/${'x'.repeat(11 * KIB)}`)

    expect([status, body.detail.length < 300]).toEqual([404, true])
    expect(share.rate.take('rome', 88)).toBeUndefined()
    expect(share.rate.take('rome', 2)).toBeGreaterThan(0)
  })

  it('is more for an evaluation, and much more for an explanation, also when it is busy', async () => {
    const { share } = aRate({ perSecond: 1e-9, burst: 1_000 })
    const explainAt = () => Promise.reject(new ExplainerBusy())
    const { post, get, advertise } = await anApi({ share, explainAt })
    await advertise('paris')
    const wish = { requestedResources: { cpu: '1' } }
    const { body } = await post('rome', '/reservations', wish)

    const evaluated = await post('rome', '/evaluations', wish)
    const explained = await get('rome', `/reservations/${body.id}/explanation`)

    expect([evaluated.status, explained.status]).toEqual([200, 503])
    // 1,000 - 1 - (1 + 10) - (1 + 200), and something for the time of the evaluation.
    expect(share.rate.take('rome', 788)).toBeGreaterThan(0)
    expect(share.rate.take('rome', 600)).toBeUndefined()
  })

  it('is taken of all who are not let in, as if they were one', async () => {
    const { get, admission } = await anApi(aRate({ perSecond: 1, burst: 2 }))
    admission.current = { deny: new Set(['mallory', 'eve']) }

    const replies = [
      await get('mallory', '/instructions'),
      await get('eve', '/instructions'),
      await get('mallory', '/instructions'),
      await get('rome', '/instructions'),
    ]

    expect(replies.map(({ status }) => status)).toEqual([403, 403, 429, 200])
  })

  it('lets nothing stay in work that has been answered, waited or been refused', async () => {
    const share = createFairShare({}, () => performance.now())
    const { get, post, call } = await anApi({ share })

    await get('rome', '/instructions')
    await get('rome', '/instructions?wait=10ms&after=1')
    await get('rome', '/nowhere')
    await get('paris', '/advertisements')
    await post('rome', '/reservations', { requestedResources: {} })
    await call('rome', {
      method: 'POST',
      url: '/advertisements',
      headers: JSON_TYPE,
      payload: aLargeBody(100 * KIB),
    })

    expect(share.loads.totals()).toEqual({ inWork: 0, waiting: 0, bodyBytes: 0, unreadBytes: 0 })
  })
})

describe('a large body', () => {
  it('with many mistakes hears of the first, a small one of all of them', async () => {
    const { call } = await anApi()
    const send = (bytes: number) =>
      call('rome', {
        method: 'POST',
        url: '/advertisements',
        headers: JSON_TYPE,
        payload: aLargeBody(bytes, { a: 1, b: 2, c: 3 }),
      })

    const replies = [await send(10), await send(100 * KIB)]

    expect(replies.map(({ status, body }) => [status, body.fields.length])).toEqual([
      [400, 3],
      [400, 1],
    ])
  })

  it('of too many values is refused before it is parsed, by the field', async () => {
    const { call } = await anApi()
    const labels = Object.fromEntries(Array.from({ length: 70_000 }, (_, n) => [`l${n}`, 'v']))

    const { status, body } = await call('rome', {
      method: 'POST',
      url: '/advertisements',
      headers: JSON_TYPE,
      payload: JSON.stringify({ clusterID: 'rome', text: '\\",,,[[[', labels }),
    })

    expect([status, body.fields[0].path]).toEqual([400, 'labels'])
    expect(body.fields[0].message).toMatch(/more than 40000 values/)
  })
})

describe('a cluster that has written as much as it may in a day', () => {
  it('still gives back what it holds, and leaves tombstones for a while only', async () => {
    const journal = createJournalBudget(1_000, () => 0)
    const write = (bytes: number) =>
      journal.recall({ ledgerId: '', index: 0, at: 0, spent: [['rome', bytes]] })
    const share = createFairShare({ journal }, () => performance.now())
    const { post, remove, get, advertise } = await anApi({ share })
    await advertise('paris')
    const held = await post('rome', '/reservations', { requestedResources: { cpu: '1' } })
    const asked = { requestedResources: { cpu: '1' }, requestId: 'mine' }
    await post('rome', '/reservations', asked)

    write(1_001)
    const refused = await post('rome', '/reservations', { ...asked, requestId: 'other' })
    const mine = await remove('rome', '/reservations?requestId=mine')
    write(100)
    const tombstone = await remove('rome', '/reservations?requestId=never-seen')
    const given = await remove('rome', `/reservations/${held.body.id}`)

    expect([refused.status, mine.status, tombstone.status, given.status]).toEqual([
      429, 200, 429, 200,
    ])
    expect(tombstone.body.detail).toMatch(/^rome has used its daily share of the journal/)
    expect((await get('rome', '/reservations')).status).toBe(200)
  })
})
