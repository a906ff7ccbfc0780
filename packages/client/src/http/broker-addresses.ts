import { API_BASE } from '@bourse/contract/headers'

export type Address = Readonly<{ origin: string; base: string }>

/** Parses an address of this transport; undefined if it is invalid. */
export type ReadAddress = (url: string) => Address | undefined

export type BrokerAddresses = ReturnType<typeof createBrokerAddresses>

/** A leader's address may be unreachable from here, and each timeout takes long. */
const AVOIDED_MS = 30_000

export type AddressKind = Readonly<{ read: ReadAddress; example: string }>
const HTTPS: AddressKind = { read: readableAddress, example: 'https://HOST:PORT' }

/**
 * The brokers of one ledger, and which of them to ask next. Parses one address or several,
 * separated by commas. Throws `TypeError`.
 */
export function createBrokerAddresses(
  urls: string,
  now: () => number,
  { read, example }: AddressKind = HTTPS,
) {
  const written = urls.split(',').map((url) => url.trim())
  const [head, ...tail] = written.filter((url) => url !== '').map(addressOf)
  if (!head) throw new TypeError('A client needs the address of a broker.')
  const listed = [head, ...tail]
  const avoided = new Map<string, number>()
  let preferred = head

  return {
    first: () => preferred,
    /** The next to ask at once: the leader that a standby named, or one of the list. */
    next(asked: ReadonlySet<string>, leader?: string): Address | undefined {
      const named = leader === undefined ? undefined : read(leader)
      if (named && !asked.has(named.origin) && !isAvoided(named)) return named
      const others = listed.filter(({ origin }) => !asked.has(origin))
      // An avoided one may still be the only leader.
      return others.find((other) => !isAvoided(other)) ?? others[0]
    },
    answered(address: Address): void {
      avoided.delete(address.origin)
      preferred = address
    },
    /** `isSilent`: it timed out, so the others are asked before it. */
    failed(address: Address, { isSilent } = { isSilent: false }): void {
      const place = listed.findIndex(({ origin }) => origin === address.origin)
      if (place < 0 || isSilent) avoided.set(address.origin, now() + AVOIDED_MS)
      if (preferred.origin !== address.origin) return
      const inTurn = [...listed.slice(place + 1), ...listed.slice(0, place + 1)]
      preferred = inTurn.find((one) => !isAvoided(one)) ?? inTurn[0] ?? head
    },
  }

  function isAvoided({ origin }: Address): boolean {
    const until = avoided.get(origin)
    if (until === undefined || until > now()) return until !== undefined
    avoided.delete(origin)
    return false
  }

  function addressOf(url: string): Address {
    const address = read(url)
    if (address) return address
    throw new TypeError(`${JSON.stringify(url)} is not a valid broker address: use ${example}.`)
  }
}

function readableAddress(url: string): Address | undefined {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:') return undefined
  const path = parsed.pathname.replace(/\/+$/, '')
  return {
    origin: parsed.origin,
    base: path.endsWith(API_BASE) ? path.slice(0, -API_BASE.length) : path,
  }
}
