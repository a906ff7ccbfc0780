import { describe, expect, it } from 'vitest'
import type { ForeignCluster } from '../liqo/foreign-cluster.ts'
import { type Connection, isSameToPeople, latencyIn } from '../liqo/network-objects.ts'
import { placeOf, stopAt, tunnelStep } from './tunnel-state.ts'

const metadata = { name: 'gw-bourse', namespace: 'liqo-tenant-paris' }
const aConnection = (
  value: 'Connected' | 'Connecting' | 'Error',
  latency?: string,
): Connection => ({
  apiVersion: 'networking.liqo.io/v1beta1',
  kind: 'Connection',
  metadata,
  status: { value, ...(latency !== undefined && { latency: { value: latency } }) },
})
const aForeignCluster = (status: string, message?: string): ForeignCluster => {
  const condition = { type: 'NetworkConnectionStatus', status, ...(message && { message }) }
  return {
    apiVersion: 'core.liqo.io/v1beta1',
    kind: 'ForeignCluster',
    metadata: { name: 'paris' },
    status: { modules: { networking: { conditions: [condition] } } },
  }
}
const endpoint = { addresses: ['203.0.113.7'], port: 51_840, protocol: 'UDP' }
const seen = {
  connection: undefined,
  foreignCluster: undefined,
  endpoint,
  ageMs: 60_000,
  namespace: 'liqo-tenant-paris',
}

describe('how the tunnel does', () => {
  it('is up when both the gateway and Liqo say so, with how fast the other end answers', () => {
    const foreignCluster = aForeignCluster('Established')
    const connection = aConnection('Connected', '12ms')

    expect(tunnelStep({ ...seen, connection, foreignCluster })).toEqual({
      type: 'NetworkReady',
      status: 'True',
      reason: 'Connected',
      message:
        'The tunnel through 203.0.113.7:51840 (UDP) is up; the other end answers within 20 ms',
    })
  })

  it.each([
    {
      name: 'the gateway is still calling',
      more: { connection: aConnection('Connecting') },
      reason: 'TunnelDown',
      message: 'is not up (Liqo says Connecting): does that port let UDP through?',
    },
    {
      name: 'Liqo sees it otherwise than the gateway',
      more: {
        connection: aConnection('Connected'),
        foreignCluster: aForeignCluster('Error', 'no route'),
      },
      reason: 'TunnelDown',
      message: 'is not up (Liqo says Error: no route): does that port let UDP through?',
    },
    {
      name: 'no gateway says anything',
      more: {},
      reason: 'GatewayNotRunning',
      message: 'in namespace liqo-tenant-paris has not reported the tunnel yet',
    },
  ])('is not up while $name, and names address and port', ({ more, reason, message }) => {
    const step = tunnelStep({ ...seen, ...more })

    expect(step).toMatchObject({ type: 'NetworkReady', status: 'False', reason })
    expect(step.message).toContain('203.0.113.7:51840 (UDP)')
    expect(step.message).toContain(message)
  })

  it('is no trouble at first: gateways take a moment, and then it is looked at again', () => {
    const step = tunnelStep({ ...seen, ageMs: 5_000 })

    expect(step.reason).toBe('WaitingForLiqo')
    expect(stopAt(step, 5_000)).toEqual({ stop: step, againAfterMs: 15_000 })
    expect(stopAt(step, 60_000)).toEqual({ stop: step })
  })
})

describe('how fast the other end answers', () => {
  it.each([
    { said: '800μs', words: 'within 1 ms' },
    { said: '1ms', words: 'within 5 ms' },
    { said: '19ms', words: 'within 20 ms' },
    { said: '0.2s', words: 'within 500 ms' },
    { said: '700ms', words: 'in half a second or more' },
    { said: 'N/A', words: undefined },
    { said: undefined, words: undefined },
  ])('is $words for $said', ({ said, words }) => {
    expect(latencyIn(aConnection('Connected', said))).toBe(words)
  })

  it('is the same to people when it only trembles', () => {
    const connection = aConnection('Connected', '12ms')

    expect(isSameToPeople(connection, aConnection('Connected', '14ms'))).toBe(true)
    expect(isSameToPeople(connection, aConnection('Connected', '30ms'))).toBe(false)
    expect(isSameToPeople(connection, aConnection('Error', '12ms'))).toBe(false)
  })
})

describe('where two gateways meet', () => {
  it.each([
    { endpoint, words: '203.0.113.7:51840 (UDP)' },
    { endpoint: { addresses: ['2001:db8::7'], port: 51_840 }, words: '[2001:db8::7]:51840 (UDP)' },
    {
      endpoint: { addresses: ['192.0.2.1', '192.0.2.2'], port: 30_001 },
      words: '192.0.2.1:30001, 192.0.2.2:30001 (UDP)',
    },
    { endpoint: undefined, words: "Liqo's gateway" },
  ])('is told as $words', ({ endpoint: given, words }) => {
    expect(placeOf(given)).toBe(words)
  })
})
