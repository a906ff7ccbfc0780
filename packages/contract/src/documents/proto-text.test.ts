import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { protoText } from './proto-text.ts'

it('is what the repository has for other languages', () => {
  const written = new URL('../../../../docs/proto/bourse/v1/broker.proto', import.meta.url)

  expect(readFileSync(written, 'utf8')).toBe(protoText())
})
