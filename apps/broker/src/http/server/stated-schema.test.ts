import { openApiDocument } from '@bourse/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is looked up by path, and typed by tests.
const api: any = openApiDocument('test')
const { schemas } = api.components
const advertised = schemas.AdvertisementInput.properties
const amounts = schemas.QuantitiesInput

const parameter = (path: string, method: string, name: string) =>
  api.paths[path][method].parameters.find((one: { name: string }) => one.name === name)
const texts = (pattern: string) =>
  fc.stringMatching(new RegExp(pattern.replace('(?=.*[1-9])', ''), 'u'), { maxLength: 60 })
const matching = (pattern: string) =>
  texts(pattern).filter((text) => new RegExp(pattern, 'u').test(text))

/** What the document says of a field, and a request that has it. */
const FIELDS = [
  {
    field: 'the duration of a request',
    values: matching(schemas.ReservationRequest.properties.duration.pattern),
    ask: (duration: string) => ['POST', '/evaluations', { ...wanted('1'), duration }],
  },
  {
    field: 'the request id',
    values: matching(schemas.ReservationRequest.properties.requestId.pattern),
    ask: (requestId: string) => ['POST', '/evaluations', { ...wanted('1'), requestId }],
  },
  {
    field: 'an amount that may be a fraction',
    values: matching(amounts.properties.cpu.anyOf[0].pattern).filter((text) => /[1-9]/.test(text)),
    ask: (cpu: string) => ['POST', '/evaluations', wanted(cpu)],
  },
  {
    field: 'an amount in whole pieces',
    values: matching(amounts.additionalProperties.anyOf[0].pattern),
    ask: (gpu: string) => ['POST', '/evaluations', wanted('1', { gpu })],
  },
  {
    field: 'the name of a resource',
    values: matching(amounts.propertyNames.pattern),
    ask: (name: string) => ['POST', '/evaluations', wanted('1', { [name]: '1' })],
  },
  {
    field: 'the grace of a withdrawal',
    values: matching(schemas.WithdrawInput.properties.grace.pattern),
    ask: (grace: string) => ['POST', '/advertisements/rome/withdraw', { grace }],
  },
  {
    field: 'a price',
    values: matching(advertised.cost ? schemas.CostInput.properties.cpuCost.anyOf[0].pattern : ''),
    ask: (cpuCost: string) => ['POST', ...advertisement({ cost: { cpuCost, currency: 'USD' } })],
  },
  {
    field: 'an endpoint',
    values: matching(advertised.endpointURL.pattern),
    ask: (endpointURL: string) => ['POST', ...advertisement({ endpointURL })],
  },
  {
    field: 'the name of a label',
    values: matching(advertised.labels.propertyNames.pattern),
    ask: (name: string) => ['POST', ...advertisement({ labels: { [name]: 'a' } })],
  },
  {
    field: 'wait',
    values: matching(parameter('/instructions', 'get', 'wait').schema.pattern),
    // An index that is beyond all others is answered at once.
    ask: (wait: string) => ['GET', `/instructions?after=99&wait=${encodeURIComponent(wait)}`],
  },
  {
    field: 'phase',
    values: matching(parameter('/reservations', 'get', 'phase').schema.pattern),
    ask: (phase: string) => ['GET', `/reservations?phase=${phase}`],
  },
  {
    field: 'the request id of a release',
    values: matching(parameter('/reservations', 'delete', 'requestId').schema.pattern),
    ask: (id: string) => ['DELETE', `/reservations?requestId=${encodeURIComponent(id)}`],
  },
] as const

function wanted(cpu: string, more: object = {}) {
  return { requestedResources: { cpu, ...more } }
}

function advertisement(more: object): [string, object] {
  return ['/advertisements', { clusterID: 'rome', resources: { capacity: { cpu: '1' } }, ...more }]
}

describe('what the document allows', () => {
  it.each(FIELDS)('is taken: $field', async ({ values, ask }) => {
    const { call, advertise } = await anApi()
    await advertise('rome')
    await advertise('paris', { visibility: 'full' })

    for (const value of fc.sample(values, 50)) {
      const [method, url, payload] = ask(value) as ['GET' | 'POST', string, object | undefined]
      const reply = await call('rome', { method, url, ...(payload && { payload }) })

      expect([value, reply.status, reply.body.detail]).not.toEqual([value, 400, reply.body.detail])
    }
  })
})

describe('what the broker refuses', () => {
  it.each([
    { schema: parameter('/reservations', 'delete', 'requestId'), says: { required: true } },
    { schema: parameter('/events', 'get', 'after').schema, says: { type: 'integer', minimum: 0 } },
    { schema: parameter('/reservations', 'get', 'after').schema, says: { type: 'integer' } },
    {
      schema: parameter('/reservations', 'get', 'limit').schema,
      says: { minimum: 1, maximum: 1000 },
    },
    {
      schema: parameter('/peerings/{id}', 'put', 'id').schema,
      says: { pattern: '^ps-[a-z2-7]{26}$' },
    },
    { schema: schemas.WantedInput, says: { type: 'object', minProperties: 1 } },
    { schema: schemas.ReservationRequest.properties.queue, says: { enum: [null, false, 0, ''] } },
  ])('is said in the document: $says', ({ schema, says }) => {
    expect(schema).toMatchObject(says)
  })

  it.each(['', '0s', '-1h', '1', '1x', '1h ', '721h', 'h'])('no renewal lasts %j', (duration) => {
    expect(duration).not.toMatch(new RegExp(schemas.RenewInput.properties.duration.pattern, 'u'))
  })

  it.each(['1h30m', '90s', '500ms', '1.5h', '720h', '168h'])('%j is a duration', (duration) => {
    expect(duration).toMatch(new RegExp(schemas.RenewInput.properties.duration.pattern, 'u'))
  })

  it('numbers beyond 2^53 come in quotes, or have lost digits already', async () => {
    const { post } = await anApi()

    const exact = await post('rome', '/evaluations', wanted('1', { memory: 2 ** 53 - 1 }))
    const inexact = await post('rome', '/evaluations', wanted('1', { memory: 2 ** 53 }))
    const quoted = await post('rome', '/evaluations', wanted('1', { memory: `${2n ** 53n}` }))

    expect([exact.status, inexact.status, quoted.status]).toEqual([200, 400, 200])
    expect(inexact.body.fields).toMatchObject([{ path: 'requestedResources.memory' }])
  })

  it('is not checked twice: what is only said is no part of what validates', async () => {
    const { post } = await anApi()

    const { body } = await post('rome', '/evaluations', wanted('-1'))

    expect(body.detail).toBe('requestedResources.cpu: "-1" is negative: an amount is zero or more')
  })
})
