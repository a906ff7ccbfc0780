import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const request = { requestedResources: { cpu: '3', memory: '4Gi' } }

async function aMarket() {
  const api = await anApi()
  await api.advertise('paris', { endpointURL: 'https://paris.example:6443' })
  return api
}

describe('what a requester does with its reservation', () => {
  async function aReservation() {
    const api = await aMarket()
    const { body } = await api.post('rome', '/reservations', { ...request, requestId: 'job-7' })
    return { ...api, id: body.id as string }
  }

  it('releases it, and again without harm', async () => {
    const { remove, id } = await aReservation()

    const first = await remove('rome', `/reservations/${id}`)
    const again = await remove('rome', `/reservations/${id}`)

    expect(first.body.status).toMatchObject({ phase: 'Released', reason: 'Released' })
    expect([first.status, again.status]).toEqual([200, 200])
  })

  it('releases by request id, and a late POST is refused', async () => {
    const { remove, post } = await aReservation()

    const released = await remove('rome', '/reservations?requestId=job-7')
    const early = await remove('rome', '/reservations?requestId=job-9')
    const late = await post('rome', '/reservations', { ...request, requestId: 'job-9' })

    expect(released.body.status.phase).toBe('Released')
    expect(early.status).toBe(204)
    expect(late.status).toBe(409)
    expect(late.body.code).toBe('RequestReleased')
  })

  it('refuses to release for a requester that is given and empty', async () => {
    const { remove } = await aReservation()

    const refused = await remove('rome', '/reservations?requestId=job-7&requesterID=')

    expect(refused.status).toBe(400)
    expect(refused.body.fields).toMatchObject([
      { path: 'requesterID', message: 'is empty: leave it out, or name a cluster' },
    ])
  })

  it('refuses a late POST also of a reservation that had ended before', async () => {
    const { remove, post, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const released = await remove('rome', '/reservations?requestId=job-7')
    const late = await post('rome', '/reservations', { ...request, requestId: 'job-7' })
    const again = await remove('rome', '/reservations?requestId=job-7')

    expect([released.status, released.body.id]).toEqual([200, id])
    expect(late.body.code).toBe('RequestReleased')
    expect([again.status, again.body.id]).toEqual([200, id])
  })

  it('refuses a late POST of a request that was granted and released by its id', async () => {
    const { advertise, post, remove, get } = await anApi()
    await advertise('paris')
    const asked = { requestedResources: { cpu: '4' }, requestId: 'job-7' }
    const { body: granted } = await post('rome', '/reservations', asked)
    await remove('rome', '/reservations?requestId=job-7')

    const late = await post('rome', '/reservations', asked)
    const again = await remove('rome', '/reservations?requestId=job-7')

    expect(late.status).toBe(409)
    expect(late.body.code).toBe('RequestReleased')
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ id: granted.id, status: { phase: 'Released' } })
    const { body: paris } = await get('paris', '/advertisements/paris')
    expect(paris.resources.available.cpu).toBe('10')
  })

  it('activates and renews it', async () => {
    const { post, id } = await aReservation()

    const active = await post('rome', `/reservations/${id}/activate`)
    const renewed = await post('rome', `/reservations/${id}/renew`, { duration: '2h' })

    expect(active.body.status.phase).toBe('Active')
    expect(renewed.body.status.expiresAt).toBe('2026-11-01T14:00:00.000Z')
  })

  it('cannot activate or renew what has ended', async () => {
    const { post, remove, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const activate = await post('rome', `/reservations/${id}/activate`)
    const renew = await post('rome', `/reservations/${id}/renew`, { duration: '2h' })

    expect([activate.status, renew.status]).toEqual([409, 409])
    expect(activate.body.code).toBe('WrongPhase')
  })

  it.each([
    { name: 'its provider may look but not release', as: 'paris', read: 200, release: 403 },
    { name: 'to a stranger it does not exist', as: 'oslo', read: 404, release: 404 },
    { name: 'an operator may do both', as: 'operator', read: 200, release: 200 },
  ])('$name', async ({ as, read, release }) => {
    const { get, remove, id } = await aReservation()

    const looked = await get(as, `/reservations/${id}`)
    const removed = await remove(as, `/reservations/${id}`)

    expect([looked.status, removed.status]).toEqual([read, release])
  })

  it('is told which phase it is in after it ended', async () => {
    const { get, remove, id } = await aReservation()
    await remove('rome', `/reservations/${id}`)

    const { body } = await get('rome', `/reservations/${id}`)

    expect(body).toMatchObject({ id, status: { phase: 'Released' }, reason: 'Released' })
  })

  it.each([
    { name: 'no duration', payload: {}, path: 'duration' },
    { name: 'duration 0s', payload: { duration: '0s' }, path: 'duration' },
  ])('cannot renew with $name', async ({ payload, path }) => {
    const { post, id } = await aReservation()

    const { status, body } = await post('rome', `/reservations/${id}/renew`, payload)

    expect(status).toBe(400)
    expect(body.fields).toMatchObject([{ path }])
  })
})
