import { expect, it } from 'vitest'
import { aRequest } from '../../fixtures/borrowing/resource-request.ts'
import { toReservationRequest } from './resource-request.ts'

it('asks for one node where its spec does, and leaves it out for brokers that do not know it', () => {
  const plain = aRequest()
  const spec = plain.spec ?? { cpu: '2', memory: '4Gi', priority: 0 }

  expect(toReservationRequest({ ...plain, spec: { ...spec, oneNode: true } })).toEqual({
    requestId: 'uid-1',
    requestedResources: { cpu: '2', memory: '4Gi' },
    priority: 0,
    oneNode: true,
  })
  expect(toReservationRequest({ ...plain, spec: { ...spec, oneNode: false } })).not.toHaveProperty(
    'oneNode',
  )
})
