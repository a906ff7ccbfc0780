import { describe, expect, it } from 'vitest'
import { addressGroup } from './address-group.ts'

describe('whom connections from an address are counted for', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s: %s', (address, group) => {
    expect(addressGroup(address)).toBe(group)
  })
})
