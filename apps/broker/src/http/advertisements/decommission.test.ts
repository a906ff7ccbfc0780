import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

describe('decommission', () => {
  it.each(['paris', 'operator'])('%s may take it off the board', async (by) => {
    const { advertise, remove, get, clock } = await anApi()
    await advertise('paris')
    clock.at += 600_000

    const { status, body } = await remove(by, '/advertisements/paris')
    const after = await get('operator', '/advertisements')

    expect(status).toBe(200)
    expect(body.clusterID).toBe('paris')
    expect(after.body.items).toEqual([])
  })

  it('refuses while the agent still advertises, which would bring the cluster back', async () => {
    const { advertise, remove, clock } = await anApi()
    await advertise('paris')
    clock.at += 12_345

    const { status, body } = await remove('operator', '/advertisements/paris')

    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'AgentRuns',
      detail: 'The agent of paris still runs: it advertised 12s ago.',
    })
  })

  it('refuses while something is held there, and says what to do', async () => {
    const { advertise, post, remove } = await anApi()
    await advertise('paris')
    await post('rome', '/reservations', { requestedResources: { cpu: '1' } })

    const { status, body } = await remove('operator', '/advertisements/paris')

    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'StillInUse', detail: 'paris still holds a reservation.' })
  })

  it.each([
    { name: 'another cluster', as: 'rome', id: 'paris', status: 403 },
    { name: 'an unknown cluster', as: 'operator', id: 'oslo', status: 404 },
  ])('refuses $name', async ({ as, id, status }) => {
    const { advertise, remove } = await anApi()
    await advertise('paris')

    expect((await remove(as, `/advertisements/${id}`)).status).toBe(status)
  })
})
