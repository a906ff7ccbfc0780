import { describe, expect, it } from 'vitest'
import { anApi, PROOF } from '../../../fixtures/http/server/api.ts'

describe('Bourse-Seen', () => {
  it('is judged once it is known who calls, and every answer has a proof', async () => {
    const judged: string[] = []
    const judge = (seen: string) => {
      judged.push(seen)
      return 'fine' as const
    }
    const { call, get } = await anApi({ rollback: { proof: () => PROOF, judge } })

    const told = await call('rome', {
      method: 'GET',
      url: '/instructions',
      headers: { 'bourse-seen': 'what it saw' },
    })
    const untold = await get('rome', '/nowhere')

    expect(judged).toEqual(['what it saw'])
    expect([told.status, untold.status]).toEqual([200, 404])
    expect([told, untold].map(({ headers }) => headers['bourse-proof'])).toEqual([PROOF, PROOF])
  })

  it.each([
    { verdict: 'malformed', says: 'it is not the value of an answer' },
    { verdict: 'unproven', says: 'beyond the end of this ledger' },
  ] as const)('is refused when it is $verdict, with what to do', async ({ verdict, says }) => {
    const { call } = await anApi({ rollback: { proof: () => PROOF, judge: () => verdict } })

    const reply = await call('rome', {
      method: 'GET',
      url: '/instructions',
      headers: { 'bourse-seen': 'x' },
    })

    expect(reply).toMatchObject({ status: 400, body: { code: 'UnprovenIndex' } })
    expect(reply.body.detail).toContain(says)
    expect(reply.body.fields).toMatchObject([{ path: 'Bourse-Seen' }])
  })
})
