import { describe, expect, it } from 'vitest'
import type { Bodies } from '../session/bodies.ts'
import { gatewayProblem, keyProblem } from './tunnel-words.ts'

const offered: Bodies['gateway'] = {
  echo: 'x',
  mtu: 1_340,
  publicKey: 'xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=',
  podCIDRs: ['10.2.0.0/16'],
  externalCIDRs: ['10.72.0.0/16'],
  endpoint: { addresses: ['203.0.113.7'], port: 51_840, protocol: 'UDP' },
}
const at = (endpoint: object) => ({ ...offered, endpoint: { ...offered.endpoint, ...endpoint } })

describe('the end that a provider offers', () => {
  it.each([
    { name: 'an address', said: offered },
    { name: 'a name', said: at({ addresses: ['lb-1.paris.example'] }) },
    { name: 'an address of IPv6', said: at({ addresses: ['2001:db8::7'] }) },
  ])('may be reached at $name', ({ said }) => {
    expect(gatewayProblem(said)).toBeUndefined()
  })

  it.each([
    { said: at({ addresses: [] }), problem: 'it has no gateway address, or too many' },
    { said: at({ addresses: ['a b'] }), problem: '"a b" is not a valid gateway address' },
    { said: at({ addresses: ['-x'] }), problem: '"-x" is not a valid gateway address' },
    { said: at({ port: 0 }), problem: '0 is not a valid port' },
    { said: at({ port: 70_000 }), problem: '70000 is not a valid port' },
    { said: { ...offered, mtu: 20 }, problem: '20 is not a valid MTU: use 576 to 9000' },
    { said: { ...offered, podCIDRs: [] }, problem: 'it has no podCIDRs' },
    { said: { ...offered, publicKey: 'abc' }, problem: 'its key is not a WireGuard key' },
  ])('is refused: $problem', ({ said, problem }) => {
    expect(gatewayProblem(said)).toBe(problem)
  })

  it('has a key of 32 bytes', () => {
    expect(keyProblem(Buffer.alloc(32, 7).toString('base64'))).toBeUndefined()
    expect(keyProblem(Buffer.alloc(31, 7).toString('base64'))).toBe(
      'its key is not a WireGuard key',
    )
  })
})
