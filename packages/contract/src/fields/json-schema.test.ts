import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validationSchema } from './json-schema.ts'

describe('validationSchema', () => {
  it.each([
    {
      name: 'an optional number that may be null is one type, not a choice of schemas',
      schema: z.looseObject({ priority: z.int().min(-5).nullish() }),
      properties: { priority: { type: ['integer', 'null'], minimum: -5 } },
    },
    {
      name: 'a choice of words may be null too',
      schema: z.looseObject({ visibility: z.enum(['full', 'summary']).nullish() }),
      properties: { visibility: { type: ['string', 'null'], enum: ['full', 'summary', null] } },
    },
    {
      name: 'a map keeps the schema of its values',
      schema: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
    },
  ])('$name', ({ schema, properties }) => {
    expect(validationSchema(schema)).toMatchObject({ properties })
  })

  it('lets unknown fields of a loose object pass, and none of a strict one', () => {
    const loose = validationSchema(z.looseObject({ a: z.string() }))
    const strict = validationSchema(z.strictObject({ a: z.string() }))

    expect(loose).not.toHaveProperty('additionalProperties')
    expect(strict).toHaveProperty('additionalProperties', false)
  })
})
