import { PROBLEM_MEDIA_TYPE } from '@bourse/contract'
import { describe, expect, it } from 'vitest'
import { anApi, aRate, LEDGER_ID } from '../../../fixtures/http/server/api.ts'

const unroutable = [
  {
    name: 'an escape that is none',
    url: '/reservations/%zz',
    detail: 'The address has an invalid percent-encoding: write a % itself as %25.',
  },
  {
    name: 'bytes that are no UTF-8',
    url: '/nowhere/%ff',
    detail: 'The address has an invalid percent-encoding: write a % itself as %25.',
  },
  {
    name: 'an id of 300',
    url: `/reservations/${'x'.repeat(300)}`,
    detail: 'A part of the address is longer than 256 characters.',
  },
]

describe.each(unroutable)('an address with $name', ({ url, detail }) => {
  it('is a problem like every other: with its code, the headers, a line and a measurement', async () => {
    const answers: object[] = []
    const { get, lines } = await anApi({ answered: (answer) => answers.push(answer) })

    const { status, body, headers } = await get('rome', url)

    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'RouteNotFound', status: 404, detail, error: detail })
    expect(headers).toMatchObject({
      'content-type': PROBLEM_MEDIA_TYPE,
      'bourse-ledger': LEDGER_ID,
      'bourse-index': '0',
      'bourse-term': 'term-1',
    })
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { caller: 'rome', path: `/api/v1${url}`.slice(0, 200), code: 'RouteNotFound', msg: detail },
    ])
    expect(answers).toMatchObject([{ method: 'GET', route: 'unknown', status: 404 }])
  })

  it('tells a caller that is denied nothing else than any address does', async () => {
    const { get, admission } = await anApi()
    admission.current = { deny: new Set(['rome']) }

    const { status, body } = await get('rome', url)

    expect(status).toBe(403)
    expect(body.code).toBe('ClusterDenied')
  })

  it('counts towards the rate of its caller', async () => {
    const { get } = await anApi(aRate({ perSecond: 0.1, burst: 1 }))
    await get('rome', url)

    const second = await get('rome', url)

    expect(second.status).toBe(429)
  })

  it('is the same with a body', async () => {
    const { post } = await anApi()

    const { status, body } = await post('rome', `${url}/activate`, { a: 1 })

    expect(status).toBe(404)
    expect(body.code).toBe('RouteNotFound')
  })
})
