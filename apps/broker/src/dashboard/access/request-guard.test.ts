import { describe, expect, it } from 'vitest'
import { type Approach, type HostPolicy, refusalOf } from './request-guard.ts'

const get = (approach: Partial<Approach>): Approach => ({
  method: 'GET',
  route: '/data/overview',
  host: 'localhost:8090',
  ...approach,
})
const onLoopback: HostPolicy = { boundHost: '127.0.0.1', hostNames: [], hasSignIn: false }
const everywhere: HostPolicy = { hostNames: ['bourse.example.org'], hasSignIn: true }

describe('refusalOf on loopback', () => {
  it.each([
    { name: 'localhost is us', ask: {}, status: undefined },
    {
      name: 'any port is fine: it may be forwarded',
      ask: { host: '127.0.0.1:9' },
      status: undefined,
    },
    { name: 'IPv6 loopback is us', ask: { host: '[::1]:8090' }, status: undefined },
    { name: 'a rebound name is not', ask: { host: 'evil.example:8090' }, status: 421 },
    {
      name: 'a name that only starts like us is not',
      ask: { host: 'localhost.evil.example' },
      status: 421,
    },
    { name: 'another address is not', ask: { host: '192.168.1.7:8090' }, status: 421 },
    { name: 'no Host at all is refused', ask: { host: undefined }, status: 421 },
    { name: 'a malformed Host is refused', ask: { host: 'localhost@evil' }, status: 421 },
    {
      name: 'the page itself may read',
      ask: { origin: 'http://localhost:8090', fetchSite: 'same-origin' },
      status: undefined,
    },
    { name: 'another origin may not', ask: { origin: 'http://evil.example' }, status: 403 },
    {
      name: 'another port on this machine may not',
      ask: { origin: 'http://localhost:3000' },
      status: 403,
    },
    { name: 'an opaque origin may not', ask: { origin: 'null' }, status: 403 },
    { name: 'cross-site without an Origin may not', ask: { fetchSite: 'cross-site' }, status: 403 },
    { name: 'same-site is not same-origin', ask: { fetchSite: 'same-site' }, status: 403 },
    {
      name: 'following a link to the page is fine',
      ask: { route: '/', fetchSite: 'cross-site', fetchMode: 'navigate' },
      status: undefined,
    },
    {
      name: 'navigating to the data is not',
      ask: { fetchSite: 'cross-site', fetchMode: 'navigate' },
      status: 403,
    },
    { name: 'HEAD is reading', ask: { method: 'HEAD' }, status: undefined },
    { name: 'POST is not', ask: { method: 'POST' }, status: 405 },
    {
      name: 'there is no sign-in where no token is asked for',
      ask: { method: 'POST', route: '/sign-in' },
      status: 405,
    },
    { name: 'DELETE is not', ask: { method: 'DELETE' }, status: 405 },
  ])('$name', ({ ask, status }) => {
    expect(refusalOf(get(ask), onLoopback)?.status).toBe(status)
  })
})

describe('refusalOf on every interface', () => {
  it.each([
    { name: 'a configured name is us', ask: { host: 'Bourse.example.org' }, status: undefined },
    {
      name: 'an address is us: rebinding needs a name',
      ask: { host: '10.0.0.4:8090' },
      status: undefined,
    },
    { name: 'another name is not', ask: { host: 'evil.example' }, status: 421 },
    {
      name: 'signing in is the one thing that is posted',
      ask: { method: 'POST', route: '/sign-in' },
      status: undefined,
    },
    {
      name: 'signing in from another site is refused',
      ask: { method: 'POST', route: '/sign-in', origin: 'https://evil.example' },
      status: 403,
    },
  ])('$name', ({ ask, status }) => {
    expect(refusalOf(get(ask), everywhere)?.status).toBe(status)
  })
})
