import { expect, it } from 'vitest'
import { aReservation } from '../../fixtures/instructions/instruction.ts'
import { specOf } from './instruction-object.ts'
import { amountsIn, termsOf } from './terms.ts'

it('says what to use where, and until when', () => {
  const reservation = {
    ...aReservation('rsv-1', { expiresAt: '2026-01-01T01:00:00Z' }),
    requestedResources: { memory: '8Gi', gpu: '1', cpu: '4000m', 'example.com/fpga': '2' },
    endpointURL: 'https://paris.example:6443',
  }

  expect(specOf(termsOf(reservation, 'requester'), 'requester')).toEqual({
    reservationName: 'rsv-1',
    requestedCPU: '4',
    requestedMemory: '8Gi',
    requestedGPU: '1',
    requestedResources: { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1', 'example.com/fpga': '2' },
    targetClusterID: 'paris',
    targetClusterEndpoint: 'https://paris.example:6443',
    message: 'Use paris for 4 CPU, 8Gi Memory, 1 GPU, 2 example.com/fpga',
    expiresAt: '2026-01-01T01:00:00Z',
  })
})

it('says to a provider what it holds for whom', () => {
  expect(specOf(termsOf(aReservation('rsv-1'), 'provider'), 'provider')).toMatchObject({
    requesterClusterID: 'rome',
    message: 'Hold 2 CPU, 4Gi Memory for rome',
  })
})

it('reads the valid ones of edited amounts', () => {
  expect(amountsIn({ cpu: '2', memory: '', gpu: '0', 'example.com/fpga': 'many' })).toEqual({
    cpu: 2000n,
  })
})
