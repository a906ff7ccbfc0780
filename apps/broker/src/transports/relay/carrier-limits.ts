import { BrokerError } from '../../http/errors/broker-error.ts'
import { createShares, type ShareLimits } from './shares.ts'

const MIB = 1024 * 1024

/** What came in, whole or not: calls, watches, and what never becomes either. */
const STREAMS: ShareLimits = { perCaller: 512, inAll: 65_536, always: 16 }
/** Calls that a caller, by all carriers together, may have without having taken their answers. */
const CALLS: ShareLimits = { perCaller: 256, inAll: 8_192, always: 8 }
/** An agent has three; twice that while it changes connections. */
const WATCHES: ShareLimits = { perCaller: 64, inAll: 32_768, always: 6 }
/** Answers that the other side has not taken yet; each costs memory several times its length. */
const UNREAD_BYTES: ShareLimits = { perCaller: 16 * MIB, inAll: 64 * MIB, always: MIB }

export type CarrierLimits = ReturnType<typeof createCarrierLimits>
export type Limited = 'streams' | 'calls' | 'watches' | 'bytes'
/** `resets`: a connection was ended, as its streams came to nothing. */
export type CarrierRefusal = Limited | 'resets'
type Options = Readonly<{
  streams?: ShareLimits
  calls?: ShareLimits
  watches?: ShareLimits
  unreadBytes?: ShareLimits
  /** Told of each refusal, for the figures. */
  refused?(what: CarrierRefusal): void
}>

/**
 * What transports may hold for their callers, for all of them together. What is taken here is given
 * back when the caller has its answer, or is gone.
 */
export function createCarrierLimits({ refused, ...limits }: Options = {}) {
  const streams = createShares(limits.streams ?? STREAMS)
  const calls = createShares(limits.calls ?? CALLS)
  const watches = createShares(limits.watches ?? WATCHES)
  const bytes = createShares(limits.unreadBytes ?? UNREAD_BYTES)
  const shares = { streams, calls, watches, bytes }

  return {
    take,
    giveBack,
    noteRefusal: (what: CarrierRefusal) => refused?.(what),
    open: (what: Limited) => shares[what].sum(),
  }

  /** Why there is no room for more; undefined: it is taken. */
  function take(what: Limited, caller: string, amount = 1): BrokerError | undefined {
    if (shares[what].take(caller, amount)) return undefined
    refused?.(what)
    return new BrokerError('RateLimited', `${caller} ${COMPLAINTS[what]}`, { retryAfterSeconds: 1 })
  }

  function giveBack(what: Limited, caller: string, amount = 1): void {
    shares[what].giveBack(caller, amount)
  }
}

const COMPLAINTS: Readonly<Record<Limited, string>> = {
  streams: 'has too many streams open: close some.',
  calls: 'has too many calls open: wait for the answers.',
  watches: 'has too many watches open: end some.',
  bytes: 'has not read the answers it was sent: read them, or ask for smaller pages.',
}
