import { expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

const names = ['cpu', 'gpu', 'memory', 'http-port', 'requesterID']

it.each([
  { written: 'memroy', nearest: 'memory' },
  { written: 'cpuu', nearest: 'cpu' },
  { written: 'httpProt', nearest: 'http-port' },
  { written: 'requester_id', nearest: 'requesterID' },
  { written: 'location', nearest: undefined },
  // Three letters away from cpu, as every short name is.
  { written: 'a', nearest: undefined },
  { written: 'xyz', nearest: undefined },
])('$written is meant as $nearest', ({ written, nearest }) => {
  expect(nearestName(written, names)).toBe(nearest)
})
