import { ReservationRequest } from '@bourse/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

const wanted = { requestedResources: { cpu: '2' } }
const SESSION = `ps-${'a'.repeat(26)}`
const opening = { providerID: 'paris', networking: 'none', hello: 'x' }

describe('a field that is not known', () => {
  it.each(['/reservations', '/evaluations'])(
    'is refused by POST %s with what was meant',
    async (url) => {
      const { post, writer, advertise } = await anApi()
      await advertise('paris')

      const { status, body } = await post('rome', url, {
        ...wanted,
        duratoin: '1h',
        maxPrice: 3,
        clusterSelector: { region: 'us' },
      })

      expect([status, body.code]).toEqual([400, 'InvalidRequest'])
      expect(body.fields).toEqual([
        { path: 'duratoin', message: 'is not known: did you mean duration?' },
        { path: 'maxPrice', message: 'is not supported yet: leave it out' },
        {
          path: 'clusterSelector',
          message: expect.stringMatching(/^is not known: there is request/),
        },
      ])
      expect(body.detail).toContain('duratoin: is not known: did you mean duration?; maxPrice: ')
      expect(writer.index()).toBe(1)
    },
  )

  it.each([
    { url: '/reservations/rsv-1/renew', payload: { duration: '1h', until: 1 }, path: 'until' },
    { url: '/reservations/rsv-1/activate', payload: { duration: '1h' }, path: 'duration' },
    { url: '/advertisements/rome/cordon', payload: { grace: '1h' }, path: 'grace' },
    { url: '/advertisements/rome/withdraw', payload: { graec: '1h' }, path: 'graec' },
    {
      url: `/peerings/${SESSION}/messages`,
      payload: { step: 'nonce', sealed: 'x', to: 'a' },
      path: 'to',
    },
    {
      url: `/peerings/${SESSION}/trouble`,
      payload: { reason: 'A', message: 'b', step: 'c' },
      path: 'step',
    },
  ])('is refused by POST $url: $path', async ({ url, payload, path }) => {
    const { post, advertise, writer } = await anApi()
    await advertise('rome')

    const { status, body } = await post('rome', url, payload)

    expect([status, body.fields]).toEqual([
      400,
      [{ path, message: expect.stringMatching(/^is not known/) }],
    ])
    expect(writer.index()).toBe(1)
  })

  it('is refused where a peering is opened', async () => {
    const { put } = await anApi()

    const { status, body } = await put('rome', `/peerings/${SESSION}`, {
      ...opening,
      networkin: '',
    })

    expect(status).toBe(400)
    expect(body.detail).toBe('networkin: is not known: did you mean networking?')
  })

  it('is refused within the resources, too', async () => {
    const { post } = await anApi()

    const { body } = await post('rome', '/reservations', {
      requestedResources: { cpu: '1', memroy: '1Gi' },
    })

    expect(body.fields).toEqual([
      {
        path: 'requestedResources.memroy',
        message: expect.stringContaining('(did you mean memory?)'),
      },
    ])
  })

  it('is refused whatever it is called, and nothing is reserved', async () => {
    const { post, writer, advertise } = await anApi()
    await advertise('paris')
    const known = Object.keys(ReservationRequest.shape)
    const names = fc.string({ minLength: 1, maxLength: 200, unit: 'binary' })

    await fc.assert(
      fc.asyncProperty(
        names.filter((name) => !known.includes(name)),
        async (name) => {
          // Also `__proto__`, as a name like any other.
          const payload = Object.fromEntries([...Object.entries(wanted), [name, 1]])
          const { status, body } = await post('rome', '/reservations', payload)

          expect([status, body.code, body.fields?.length]).toEqual([400, 'InvalidRequest', 1])
          expect(body.detail).not.toMatch(/\p{Cc}/u)
          expect(body.detail.length).toBeLessThan(1_000)
        },
      ),
    )
    expect(writer.index()).toBe(1)
  })

  it.each([
    'startsAt',
    'startsAfter',
    'startBefore',
    'endsBefore',
    'recurrence',
    'pieces',
    'where',
    'tolerations',
    'maxPrice',
    'tenant',
  ])('is refused by its name where it is planned: %s', async (name) => {
    const { post } = await anApi()

    const { body } = await post('rome', '/reservations', { ...wanted, [name]: '2030-01-01' })

    expect(body.fields).toEqual([{ path: name, message: 'is not supported yet: leave it out' }])
  })

  it('is no reason to refuse what an agent of the Go original sends', async () => {
    const { post, advertise } = await anApi()
    await advertise('paris')

    const { status } = await post('rome', '/reservations', {
      requestedResources: { cpu: '500m', memory: '256Mi', gpu: '', storage: '' },
      priority: 10,
      duration: '1h0m0s',
    })

    expect(status).toBe(201)
  })

  it('may stand nowhere, and a body that is not needed may be empty', async () => {
    const { post, advertise } = await anApi()
    await advertise('rome')

    const withdrawn = await post('rome', '/advertisements/rome/withdraw', {})
    const opened = await post('rome', '/advertisements/rome/uncordon', {})
    const again = await post('rome', '/advertisements/rome/withdraw')

    expect([withdrawn.status, opened.status, again.status]).toEqual([200, 200, 200])
  })
})

describe('a parameter that is not known', () => {
  it.each([
    { url: '/reservations?phsae=Active', detail: 'phsae: is not known: did you mean phase?' },
    {
      url: '/peerings?requesterId=rome',
      detail: 'requesterId: is not known: did you mean requesterID?',
    },
    { url: '/events?since=7', detail: 'since: is not known: there is after, last' },
    { url: '/instructions?wiat=30s', detail: 'wiat: is not known: did you mean wait?' },
    {
      url: '/advertisements/rome?x=1',
      detail: 'x: is not known here, where nothing is taken: leave it out',
    },
    {
      url: '/reservations/a/explanation?x',
      detail: 'x: is not known here, where nothing is taken: leave it out',
    },
  ])('is refused: GET $url', async ({ url, detail }) => {
    const { get } = await anApi()

    const { status, body } = await get('rome', url)

    expect([status, body.detail]).toEqual([400, detail])
  })

  it('is refused where something would be released or reserved', async () => {
    const { remove, post, writer } = await anApi()

    const released = await remove('rome', '/reservations?requestId=a&requesterId=paris')
    const reserved = await post('rome', '/reservations?dryRun=true', wanted)

    expect([released.status, reserved.status, writer.index()]).toEqual([400, 400, 0])
  })
})

describe('a field of an advertisement that is not known', () => {
  const newer = {
    endpointUrl: 'https://paris.example',
    cost: { cpuCost: '0.1', currency: 'EUR', diskCost: '1' },
    location: { city: 'Paris', zone: 'a' },
    labels: { anything: 'a' },
    liqo: { anything: 1 },
  }
  const ignored = ['endpointUrl', 'cost.diskCost']

  it('is ignored, named in each answer, and once in the log', async () => {
    const { advertise, lines } = await anApi()

    const answers = [await advertise('paris', newer), await advertise('paris', newer)]

    expect(answers.map(({ status, body }) => [status, body.ignored])).toEqual([
      [200, ignored],
      [200, ignored],
    ])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ clusterId: 'paris', ignored }])
  })

  it('is named within the resources, too, and again after it was away', async () => {
    const { advertise, lines } = await anApi()
    const resources = { capacity: { cpu: '1', memory: '1Gi' }, spare: { cpu: '1' } }

    const first = await advertise('paris', { resources })
    const without = await advertise('paris')
    await advertise('paris', { resources })

    expect(first.body.ignored).toEqual(['resources.spare'])
    expect(without.body).not.toHaveProperty('ignored')
    expect(lines).toHaveLength(2)
  })

  it('is one of twenty at most that are named, each of them short and printable', async () => {
    const { advertise } = await anApi()
    const many = Array.from({ length: 50 }, (_, n) => [`\u001b${n}${'x'.repeat(500)}`, 1])

    const { body } = await advertise('paris', Object.fromEntries(many))

    expect(body.ignored).toHaveLength(20)
    expect(body.ignored.join('')).not.toMatch(/\p{Cc}/u)
    expect(Math.max(...body.ignored.map((path: string) => path.length))).toBeLessThan(100)
  })
})
