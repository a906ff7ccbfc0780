import { describe, expect, it } from 'vitest'
import { assertProtected, pageUrl } from './dashboard-address.ts'

const TOKEN = '0123456789abcdef'

describe('assertProtected', () => {
  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('%s needs no token', (host) => {
    expect(() => assertProtected({ host, port: 8090 }, undefined)).not.toThrow()
  })

  it.each(['0.0.0.0', '10.0.0.4', '::', undefined])('%s needs one, and says what to do', (host) => {
    const address = { port: 8090, ...(host !== undefined && { host }) }

    expect(() => assertProtected(address, undefined)).toThrow(/--dashboard-token-file=FILE/)
    expect(() => assertProtected(address, TOKEN)).not.toThrow()
  })

  it('a token that could be guessed is refused, also on loopback', () => {
    expect(() => assertProtected({ host: '127.0.0.1', port: 8090 }, 'secret')).toThrow(/guessed/)
  })
})

describe('pageUrl', () => {
  it.each([
    { host: '127.0.0.1', url: 'http://127.0.0.1:8090/' },
    { host: '::1', url: 'http://[::1]:8090/' },
    { host: undefined, url: 'http://localhost:8090/' },
    { host: '0.0.0.0', url: 'http://localhost:8090/' },
  ])('$host opens as $url', ({ host, url }) => {
    expect(pageUrl(host, 8090)).toBe(url)
  })
})
