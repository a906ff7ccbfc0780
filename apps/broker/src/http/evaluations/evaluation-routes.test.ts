import { describe, expect, it } from 'vitest'
import { anApi, aRate } from '../../../fixtures/http/server/api.ts'

const supply = (cpu: string, memory: string) => ({
  resources: { capacity: { cpu, memory }, allocated: {} },
})
const request = { requestedResources: { cpu: '2', memory: '4Gi' } }

async function aMarket() {
  const api = await anApi()
  await api.advertise('paris', { ...supply('10', '20Gi'), visibility: 'full' })
  await api.advertise('berlin', supply('5', '10Gi'))
  await api.advertise('oslo', supply('1', '1Gi'))
  return api
}

describe('POST /evaluations', () => {
  it('ranks every cluster and changes nothing', async () => {
    const { post, writer } = await aMarket()

    const { status, body } = await post('operator', '/evaluations', {
      ...request,
      requesterID: 'rome',
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      targetClusterID: 'paris',
      summary:
        'paris is the best of 2 that fit, with a score of 80.00 for room alone: ' +
        '20 points more room than berlin.',
      refused: { Insufficient: 1 },
      rows: [
        {
          clusterID: 'paris',
          verdict: 'chosen',
          score: '80.00',
          band: 'good',
        },
        { clusterID: 'berlin', verdict: 'candidate', score: '60.00', band: 'moderate' },
        { clusterID: 'oslo', verdict: 'refused', reason: 'Insufficient' },
      ],
    })
    expect(writer.index()).toBe(3)
  })

  it('counts prices in the broker’s currency, those with a rate, and says which do not count', async () => {
    const { post, advertise, writer } = await anApi()
    const costing = (cpuCost: string, currency: string) => ({ cost: { cpuCost, currency } })
    await advertise('paris', costing('0.5', 'USD'))
    await advertise('rome', costing('0.001', 'USD'))
    await advertise('oslo', costing('0.25', 'EUR'))
    const asked = { requestedResources: { cpu: '1' }, requesterID: 'athens' }
    const rows = async () => {
      const { body } = await post('operator', '/evaluations', asked)
      return body.rows.map((row: Record<string, unknown>) => [
        row.clusterID,
        row.price,
        row.message,
      ])
    }
    const dollars = (perHour: string) => ({ perHour, currency: 'USD' })
    const unpriced = 'prices in EUR do not count: no rate to USD is known'

    const before = await rows()
    const { body } = await post('operator', '/evaluations', asked)
    await writer.betweenCommits((ledger) => ledger.setRates(new Map([['EUR', 1_080_000_000n]])))

    expect(before).toEqual([
      ['rome', dollars('0.001'), 'rome is the best fit: 93.00 = 0.7 x 90 + 0.3 x 100'],
      ['oslo', undefined, `oslo would fit: 78.03 = 0.7 x 90 + 0.3 x 50.1; ${unpriced}`],
      ['paris', dollars('0.5'), 'paris would fit: 63.06 = 0.7 x 90 + 0.3 x 0.2'],
    ])
    expect(body.rows[1]).toMatchObject({ unpriced })
    expect(await rows()).toEqual([
      ['rome', dollars('0.001'), 'rome is the best fit: 93.00 = 0.7 x 90 + 0.3 x 100'],
      ['oslo', dollars('0.27'), 'oslo would fit: 63.11 = 0.7 x 90 + 0.3 x 0.37'],
      ['paris', dollars('0.5'), 'paris would fit: 63.06 = 0.7 x 90 + 0.3 x 0.2'],
    ])
  })

  it('answers with an empty target when no cluster fits, as the original’s agents expect a 200', async () => {
    const { post } = await aMarket()

    const { status, body } = await post('rome', '/evaluations', {
      requestedResources: { cpu: '99' },
    })

    expect(status).toBe(200)
    expect(body.targetClusterID).toBe('')
  })

  it.each([
    { name: 'an operator sees all numbers', as: 'operator', visible: ['paris', 'berlin', 'oslo'] },
    { name: 'a provider sees its own', as: 'berlin', visible: ['paris', 'berlin'] },
    { name: 'others see those shown to all', as: 'rome', visible: ['paris'] },
  ])('$name', async ({ as, visible }) => {
    const { post } = await aMarket()

    const { body } = await post(as, '/evaluations', {
      ...request,
      ...(as === 'operator' && { requesterID: 'rome' }),
    })

    const shown = body.rows.filter((row: object) => 'available' in row)
    expect(shown.map((row: { clusterID: string }) => row.clusterID).sort()).toEqual(visible.sort())
  })

  it('tells others no number in words either', async () => {
    const { post } = await aMarket()

    const { body } = await post('rome', '/evaluations', { requestedResources: { cpu: '7' } })

    expect(body.rows).toContainEqual(
      expect.objectContaining({ clusterID: 'berlin', message: 'berlin has too little cpu' }),
    )
  })

  it('judges what others hide by rounded amounts, in bands, and says so', async () => {
    const api = await anApi()
    await api.advertise('berlin', supply('5', '10Gi'))

    const fits = await api.post('rome', '/evaluations', { requestedResources: { cpu: '4' } })
    const close = await api.post('rome', '/evaluations', { requestedResources: { cpu: '4500m' } })

    const row = { clusterID: 'berlin', verdict: 'chosen', band: 'limited', rounded: true }
    expect(fits.body.rows).toEqual([{ ...row, message: 'berlin is the best fit' }])
    expect(fits.body.summary).toBe('berlin is the only cluster that fits (limited).')
    expect(close.body).toMatchObject({ targetClusterID: '', refused: { Insufficient: 1 } })
    expect(close.body.summary).toBe(
      'No cluster can hold 4.5 cpu for rome (insufficient capacity): berlin has too little cpu' +
        ' Hidden amounts are rounded down here: a reservation may still fit.',
    )
    const reserved = await api.post('rome', '/reservations', {
      requestedResources: { cpu: '4500m' },
    })
    expect(reserved.status).toBe(201)
  })

  it('tells the asker what each candidate would charge, and why the first is first', async () => {
    const api = await anApi()
    const costing = (cpuCost: string) => ({ cost: { cpuCost, currency: 'USD' } })
    await api.advertise('berlin', { ...supply('4', '8Gi'), ...costing('0.1') })
    await api.advertise('paris', { ...supply('5', '8Gi'), ...costing('0.2') })
    await api.advertise('oslo', { ...supply('1', '8Gi'), ...costing('0.01') })
    const asked = { requestedResources: { cpu: '2' } }

    const open = await api.post('operator', '/evaluations', { ...asked, requesterID: 'rome' })
    const hidden = await api.post('rome', '/evaluations', asked)
    const reserved = await api.post('rome', '/reservations', asked)
    const explained = await api.get('rome', `/reservations/${reserved.body.id}/explanation`)

    expect(open.body.summary).toBe(
      'berlin is the best of 2 that fit, with a score of 65.00 = 0.7 x 50 + 0.3 x 100: ' +
        'half the price of paris outweighs 10 points less room.',
    )
    expect(hidden.body.summary).toBe(
      'berlin is the best of 2 that fit (moderate): half the price of paris, by rounded amounts.' +
        ' Hidden amounts are rounded down here: a reservation may still fit.',
    )
    const perHour = (row: { price?: { perHour: string } }) => row.price?.perHour
    // Who cannot take it charges nothing, and its price stays its own.
    expect(hidden.body.rows.map(perHour)).toEqual(['0.2', '0.4', undefined])
    expect(explained.body.rows.map(perHour)).toEqual(['0.2', '0.4', undefined])
    for (const row of hidden.body.rows) expect(row).not.toHaveProperty('available')
  })

  it.each([{ memory: '4Gi' }, { gpu: '1' }])('takes a request for %o alone', async (wanted) => {
    const api = await anApi()
    const capacity = { cpu: '4', memory: '8Gi', gpu: '2' }
    await api.advertise('berlin', { resources: { capacity, allocated: {} } })

    const { body } = await api.post('operator', '/evaluations', {
      requestedResources: wanted,
      requesterID: 'rome',
    })

    expect(body.targetClusterID).toBe('berlin')
    expect(body.rows[0]).toMatchObject({ score: '50.00', parts: { resources: '50.00' } })
    const reserved = await api.post('rome', '/reservations', { requestedResources: wanted })
    expect(reserved.status).toBe(201)
  })

  it('warns of every cluster where no node has as much, rounded where numbers are hidden', async () => {
    const api = await anApi()
    await api.advertise('paris', {
      ...supply('10', '20Gi'),
      largestFit: { cpu: '1' },
      visibility: 'full',
    })
    await api.advertise('berlin', { ...supply('10', '20Gi'), largestFit: { cpu: '3.5' } })
    const asked = { requestedResources: { cpu: '8' } }

    const sums = await api.post('rome', '/evaluations', asked)
    const node = await api.post('rome', '/evaluations', { ...asked, oneNode: true })

    expect(messagesIn(sums.body)).toEqual([
      'paris is the best fit: 20.00 for room alone; largest free node: 1 CPU',
      'berlin would fit; largest free node: about 3 CPU',
    ])
    expect(sums.body.rows[0].largestNode).toEqual({ cpu: '1' })
    expect(sums.body.summary).toContain('; largest free node: 1 CPU.')
    expect(messagesIn(node.body)).toEqual([
      'berlin has no node with 8 CPU at once',
      'paris has 10 CPU free, and no node with 8 at once',
    ])
    expect(node.body.request).toMatchObject({ oneNode: true })
  })

  it('makes trying ever other amounts slower and slower, but not asking the same again', async () => {
    const { post, advertise, clock } = await anApi()
    await advertise('paris')
    const ask = async (as: string, milli: number, targetClusterID = 'paris') => {
      const { status, headers } = await post(as, '/evaluations', {
        requestedResources: { cpu: `${milli}m` },
        targetClusterID,
        ...(as === 'operator' && { requesterID: 'rome' }),
      })
      return [status, headers['retry-after']]
    }

    for (let milli = 1; milli <= 33; milli += 1)
      expect(await ask('rome', milli)).toEqual([200, undefined])

    expect(await ask('rome', 34)).toEqual([429, '1'])
    expect(await ask('rome', 5)).toEqual([200, undefined])
    expect(await ask('athens', 34)).toEqual([200, undefined])
    expect(await ask('operator', 34)).toEqual([200, undefined])
    clock.at += 1_000
    expect(await ask('rome', 34)).toEqual([200, undefined])
    expect(await ask('rome', 35)).toEqual([429, '2'])
    clock.at += 600_000
    expect(await ask('rome', 35)).toEqual([200, undefined])
    expect(await ask('rome', 36)).toEqual([200, undefined])
  })

  it('lets everything be asked of clusters that show their numbers', async () => {
    const { post, advertise } = await anApi()
    await advertise('paris', { visibility: 'full' })

    for (let milli = 1; milli <= 50; milli += 1) {
      const asked = { requestedResources: { cpu: `${milli}m` } }
      expect((await post('rome', '/evaluations', asked)).status).toBe(200)
    }
  })

  it('is counted by the time it takes', async () => {
    const { advertise, post } = await anApi(aRate({ perSecond: 0.001, burst: 2 }))
    await advertise('paris')

    const first = await post('rome', '/evaluations', request)
    const second = await post('rome', '/evaluations', request)

    expect([first.status, second.status]).toEqual([200, 429])
  })
})

describe('GET /reservations/{id}/explanation', () => {
  it('says why, with the stored summary and the full table', async () => {
    const { post, get } = await aMarket()
    const { body: reservation } = await post('rome', '/reservations', request)

    const { status, body } = await get('operator', `/reservations/${reservation.id}/explanation`)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      reservationID: reservation.id,
      index: 4,
      request: { requesterID: 'rome', requestedResources: { cpu: '2', memory: '4Gi' } },
      best: [
        { clusterID: 'paris', score: '80.00', band: 'good', parts: { resources: '80.00' } },
        { clusterID: 'berlin', score: '60.00' },
      ],
      refused: { Insufficient: 1 },
    })
    expect(body.rows).toHaveLength(3)
  })

  it('tells its requester who was chosen, and of the others what rounded amounts tell', async () => {
    const { post, get, advertise } = await anApi()
    await advertise('berlin', supply('5', '10Gi'))
    await advertise('oslo', supply('9', '9Gi'))
    const asked = { requestedResources: { cpu: '4500m' }, targetClusterID: 'berlin' }
    await post('paris', '/reservations', { ...asked, targetClusterID: 'oslo' })
    const { body: reservation } = await post('rome', '/reservations', {
      requestedResources: { cpu: '4500m' },
    })

    const { body } = await get('rome', `/reservations/${reservation.id}/explanation`)

    // By rounded amounts, 4 cores each, neither would have fitted.
    expect(reservation.targetClusterID).toBe('berlin')
    expect(body).toMatchObject({
      summary: 'berlin is the only cluster that fits.',
      best: [{ clusterID: 'berlin' }],
      refused: { Insufficient: 1 },
    })
    expect(body.rows).toEqual([
      {
        clusterID: 'berlin',
        verdict: 'chosen',
        rounded: true,
        message: 'berlin is the best fit',
      },
      {
        clusterID: 'oslo',
        verdict: 'refused',
        reason: 'Insufficient',
        rounded: true,
        message: 'oslo has too little cpu',
      },
    ])
  })

  it('keeps to the summary when the table can no longer be recomputed', async () => {
    const { post, get, advertise } = await anApi({ explainAt: async () => undefined })
    await advertise('paris')
    const { body: reservation } = await post('rome', '/reservations', request)

    const { body } = await get('rome', `/reservations/${reservation.id}/explanation`)

    expect(body.summary).toBe('paris was chosen.')
    expect(body.best).toEqual([{ clusterID: 'paris' }])
    expect(body).not.toHaveProperty('rows')
    expect(body.note).toMatch(/^The journal no longer reaches back to batch 2, /)
  })

  it('is not for strangers', async () => {
    const { post, get } = await aMarket()
    const { body: reservation } = await post('rome', '/reservations', request)

    const { status } = await get('athens', `/reservations/${reservation.id}/explanation`)

    expect(status).toBe(404)
  })

  it('is not for the provider, whom it would tell of its rivals', async () => {
    const { post, get } = await aMarket()
    const { body: reservation } = await post('rome', '/reservations', request)

    const { status, body } = await get('paris', `/reservations/${reservation.id}/explanation`)

    expect(status).toBe(403)
    expect(body).toMatchObject({ code: 'NotYours' })
    expect((await get('operator', `/reservations/${reservation.id}/explanation`)).status).toBe(200)
  })
})

function messagesIn({ rows }: { rows: readonly { message: string }[] }): string[] {
  return rows.map(({ message }) => message)
}
