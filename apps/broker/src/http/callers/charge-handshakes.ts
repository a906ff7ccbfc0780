import type { Socket } from 'node:net'
import type { Server, TLSSocket } from 'node:tls'
import { addressGroup } from '@bourse/daemon/connections'
import {
  createRateLimit,
  type FairShare,
  HANDSHAKE_TOKENS,
  type Rate,
} from '../../fair-share/index.ts'
import type { Caller } from './caller.ts'
import { accountBehind } from './charge-requests.ts'

/** Connections that one caller may open: an agent has a few, and keeps them. */
const HANDSHAKES: Rate = { perSecond: 100, burst: 1_000 }
/** For how long an address gets no new connection when one of its callers opens more than that. */
const PAUSE_MS = 200
const ADDRESSES_MAX = 10_000

type Ports = Readonly<{
  share: Pick<FairShare, 'rate' | 'paused'>
  identify(socket: TLSSocket): Caller
  now(): number
}>

/**
 * A handshake takes a millisecond before its caller is known. The caller is charged afterwards; if
 * it connects too often, its address is blocked for a moment.
 */
export function chargeHandshakes(server: Server, { share, identify, now }: Ports) {
  const pausedUntil = new Map<string, number>()
  const handshakes = createRateLimit(HANDSHAKES, now)

  server.prependListener('connection', (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress)
    const until = pausedUntil.get(address)
    if (until === undefined) return
    if (until <= now()) return void pausedUntil.delete(address)
    share.paused.connections += 1
    socket.destroy()
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const account = accountFor(socket)
    share.rate.spend(account, HANDSHAKE_TOKENS)
    if (handshakes.take(account) === undefined) return
    // Before it can send anything: that may be a thousand requests.
    socket.destroy()
    if (pausedUntil.size >= ADDRESSES_MAX) pausedUntil.clear()
    pausedUntil.set(addressGroup(socket.remoteAddress), now() + PAUSE_MS)
  })

  return { heardInVain }

  /** A request after its connection was cut off for sending many at once. */
  function heardInVain(socket: TLSSocket): void {
    const account = accountFor(socket)
    handshakes.spend(account, 1)
    share.rate.spend(account, 1)
  }

  function accountFor(socket: TLSSocket): string {
    return accountBehind(() => identify(socket))
  }
}
