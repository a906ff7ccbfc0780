import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createRateLimit, type Rate } from '../../fair-share/index.ts'
import { accountBehind } from '../../http/callers/charge-requests.ts'
import type { BrokerError } from '../../http/errors/broker-error.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import { type CarriedShare, chargeCarried } from '../relay/charge-carried.ts'
import type { IdentifyCaller } from '../relay/create-relay.ts'
import { createTurns } from '../relay/turns.ts'
import { refuseStream } from './frames.ts'
import { receiveMessage } from './receive-message.ts'

type Ports = Readonly<{
  limits: CarrierLimits
  share: CarriedShare
  now(): number
  /** A call is here as a whole, and paid for. */
  onCall(call: AdmittedCall): void
}>
/** The caller of a connection. */
type Line = Readonly<{
  identify: IdentifyCaller
  /** What came for nothing counts against the next connections of its caller. */
  heardInVain(): void
}>
type Opened = Readonly<{ stream: ServerHttp2Stream; headers: IncomingHttpHeaders }>
type Arrival = Line & Opened & Readonly<{ session: ServerHttp2Session; account: string }>
export type AdmittedCall = Opened &
  Readonly<{ identify: IdentifyCaller; account: string; bytes: Buffer; letGo(): void }>

/** Streams of one caller that come to nothing: reset before they are whole, or refused unheard. */
const WASTED_STREAMS: Rate = { perSecond: 50, burst: 500 }
/** Longer than a call waits or a watch is silent: only one that is not read. */
const STREAM_IDLE_MS = 100_000

/**
 * Every stream costs something from its beginning, whether it becomes a call or not: so it is
 * counted and charged before anything is made of it.
 */
export function admitStreams({ limits, share, now, onCall }: Ports) {
  const charges = chargeCarried(share)
  const wasted = createRateLimit(WASTED_STREAMS, now)
  const turns = createTurns()

  return { follow }

  function follow(session: ServerHttp2Session, line: Line): void {
    session.on('stream', (stream, headers) => {
      // Errors of a stream end it, and nothing else.
      stream.on('error', () => undefined)
      arrive({ ...line, session, stream, headers, account: accountBehind(line.identify) })
    })
  }

  function arrive(arrival: Arrival): void {
    const { session, stream, account, heardInVain } = arrival
    if (session.destroyed) return void heardInVain()
    if (stream.destroyed) return void waste(arrival)
    if (limits.take('streams', account)) return void drop(arrival)
    stream.once('close', () => limits.giveBack('streams', account))
    stream.setTimeout(STREAM_IDLE_MS, () => stream.close(constants.NGHTTP2_CANCEL))
    const why = charges.take(account)
    if (why) refuse(arrival, why)
    else receive(arrival)
  }

  function receive(arrival: Arrival): void {
    const { stream, account } = arrival
    const message = charges.message(account)
    const { letGo } = message
    receiveMessage(stream, message, {
      onWhole: (bytes) => turns.run(account, () => onCall({ ...arrival, bytes, letGo })),
      onRefused: (why) => refuse(arrival, why),
      onAbandoned: () => drop(arrival),
    })
  }

  /** Perhaps later: see `held-refusals`. */
  function refuse(arrival: Arrival, why: BrokerError): void {
    const { stream, account } = arrival
    const onClose = () => waste(arrival)
    stream.once('close', onClose)
    // It has left. With unread bytes in it, it would never be over.
    if (stream.aborted) return void stream.resume()
    // What it goes on to send stays where it is, but for a window.
    stream.pause()
    stream.once('aborted', () => stream.resume())
    const isHeld = charges.refuse(account, {
      tell() {
        stream.off('close', onClose)
        refuseStream(stream, why)
      },
    })
    if (!isHeld) stream.close(constants.NGHTTP2_REFUSED_STREAM)
  }

  function drop(arrival: Arrival): void {
    arrival.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    waste(arrival)
  }

  function waste({ session, account, heardInVain }: Arrival): void {
    charges.spend(account)
    if (wasted.take(account) === undefined || session.destroyed) return
    limits.noteRefusal('resets')
    heardInVain()
    session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
}
