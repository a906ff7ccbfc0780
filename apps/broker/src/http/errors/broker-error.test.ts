import { expect, it } from 'vitest'
import { BrokerError } from './broker-error.ts'

it('knows nothing of the stack: to look at that costs more than to refuse', () => {
  const limitBefore = Error.stackTraceLimit

  const error = new BrokerError('RateLimited', 'rome sends too much.')

  expect(error.stack).toBe('BrokerError: rome sends too much.')
  expect(Error.stackTraceLimit).toBe(limitBefore)
})
