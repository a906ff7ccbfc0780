import { expect, it } from 'vitest'
import { sliceUserOf } from './slice-user.ts'

it("is the slice's name and the beginning of a hash of who asks", () => {
  // printf rome | sha256sum | cut -c1-12
  expect(sliceUserOf('res-rsv-k3x9a-1f', 'rome')).toBe('res-rsv-k3x9a-1f-a8a4c692b93b')
})
