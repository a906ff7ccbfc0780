import { EventEmitter } from 'node:events'
import type { Server } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createFairShare } from '../../fair-share/index.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { chargeHandshakes } from './charge-handshakes.ts'

/** A server to which callers connect by name, from an address. */
function aServer() {
  const clock = { at: 0 }
  const now = () => clock.at
  const share = createFairShare({ rate: { perSecond: 1e-9, burst: 1_000 } }, now)
  // Of a server only these two events matter here, and of a socket its address and its end.
  const server = new EventEmitter() as Server
  const names = new WeakMap<object, string>()
  const { heardInVain } = chargeHandshakes(server, {
    share,
    now,
    identify(socket) {
      const id = names.get(socket)
      if (id === undefined) throw new BrokerError('CertificateRevoked')
      return { id, isOperator: false }
    },
  })

  function connect(name: string | undefined, remoteAddress: string): boolean {
    let isOpen = true
    const socket = { remoteAddress, destroy: () => (isOpen = false) } as unknown as TLSSocket
    if (name !== undefined) names.set(socket, name)
    server.emit('connection', socket)
    if (isOpen) server.emit('secureConnection', socket)
    return isOpen
  }
  function sendInVain(name: string): void {
    const socket = { remoteAddress: '' } as TLSSocket
    names.set(socket, name)
    heardInVain(socket)
  }
  return { clock, share, connect, sendInVain }
}

const many = (count: number, connect: () => boolean) =>
  Array.from({ length: count }, connect).filter((isOpen) => isOpen).length

describe('chargeHandshakes', () => {
  it('charges a caller for each of its connections', () => {
    const { share, connect } = aServer()

    many(25, () => connect('rome', '192.0.2.1'))

    expect(share.rate.take('rome', 500)).toBeUndefined()
    expect(share.rate.take('rome')).toBeGreaterThan(0)
  })

  it('keeps an address off for a moment when a caller connects too often, and no other', () => {
    const { clock, connect } = aServer()

    const opened = many(1_200, () => connect('mallory', '192.0.2.1'))
    const elsewhere = connect('rome', '192.0.2.2')
    clock.at += 250
    const later = connect('rome', '192.0.2.1')

    expect(opened).toBe(1_000)
    expect([elsewhere, later]).toEqual([true, true])
  })

  it('counts what came after a connection was cut off', () => {
    const { connect, sendInVain, share } = aServer()
    for (let sent = 0; sent < 999; sent += 1) sendInVain('mallory')

    expect(many(10, () => connect('mallory', '192.0.2.1'))).toBe(1)
    expect(share.rate.take('mallory')).toBeGreaterThan(0)
  })

  it('lets those whose certificates are no longer good share one account', () => {
    const { connect } = aServer()

    expect(many(1_200, () => connect(undefined, '192.0.2.1'))).toBe(1_000)
  })
})
