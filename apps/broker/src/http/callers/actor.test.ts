import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const request = { requestedResources: { cpu: '1' } }
/** As a header carries it: the bytes of UTF-8. */
const inHeader = (text: string) => ({ 'bourse-reason': Buffer.from(text).toString('latin1') })

async function aReservation() {
  const api = await anApi()
  const events: LedgerEvent[] = []
  await api.advertise('paris')
  const { body } = await api.post('rome', '/reservations', { ...request, requestId: 'job-7' })
  api.writer.subscribe((committed) => void events.push(...committed.events))
  return { ...api, events, id: body.id as string }
}

describe('a command over REST', () => {
  it.each([
    ['DELETE', '/reservations/ID'],
    ['DELETE', '/reservations?requestId=job-7&requesterID=rome'],
    ['POST', '/reservations/ID/activate'],
    ['POST', '/advertisements/paris/cordon'],
    ['POST', '/advertisements/paris/withdraw'],
  ] as const)('of an operator names the operator: %s %s', async (method, path) => {
    const { call, events, id } = await aReservation()

    await call('operator', { method, url: path.replace('/ID', `/${id}`) })

    expect(events).toMatchObject([{ by: 'operator:operator@rest' }])
  })

  it('of an operator for a cluster names the operator in the grant, and in the log', async () => {
    const { post, events, lines } = await aReservation()

    await post('operator', '/reservations', { ...request, requesterID: 'rome' })

    const by = 'operator:operator@rest'
    expect(events).toMatchObject([{ kind: 'reserved', by, reservation: { requester: 'rome' } }])
    expect(lines.some((line) => line.includes(`"by":"${by}"`))).toBe(true)
  })

  it('of an operator with an unprintable name spells that name out', async () => {
    const { remove, events, id } = await aReservation()

    await remove('operator\u0085', `/reservations/${id}`)

    expect(events).toMatchObject([{ by: 'operator:operator\\u0085@rest' }])
  })

  it('of the requester itself names no actor', async () => {
    const { remove, events, id } = await aReservation()

    const { body } = await remove('rome', `/reservations/${id}`)

    expect(events[0]).not.toHaveProperty('by')
    expect(body).not.toHaveProperty('endedBy')
    expect(body.status.message).toBe('Released on request')
  })

  it('keeps the reason in the event, and tells it to the requester', async () => {
    const { call, get, events, id } = await aReservation()
    const headers = inHeader('größere Arbeiten an Rack 7')

    await call('operator', { method: 'DELETE', url: `/reservations/${id}`, headers })
    const { body } = await get('rome', `/reservations/${id}`)

    expect(events).toMatchObject([{ why: 'größere Arbeiten an Rack 7' }])
    expect(body).toMatchObject({ endedBy: 'operator:operator@rest' })
    expect(body.status.message).toBe(
      'Released on request by operator operator: größere Arbeiten an Rack 7',
    )
  })

  it.each([
    ['x'.repeat(201), 'longer than 200'],
    ['\u0085', 'cannot be shown'],
  ])('with a reason that cannot be kept is refused', async (reason, says) => {
    const { call, events, id } = await aReservation()
    const headers = inHeader(reason)

    const { status, body } = await call('rome', {
      method: 'DELETE',
      url: `/reservations/${id}`,
      headers,
    })

    expect([status, body.detail]).toEqual([400, expect.stringContaining(says)])
    expect(events).toEqual([])
  })
})
