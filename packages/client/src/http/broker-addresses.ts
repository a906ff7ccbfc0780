import { API_BASE } from '@bourse/contract/headers'

export type Address = Readonly<{ origin: string; base: string }>

/** What an address of this transport is; undefined for one that is none. */
export type ReadAddress = (url: string) => Address | undefined

/** The brokers of one ledger: which of them to ask, as far as answers so far have told. */
export type BrokerAddresses = {
  first(): Address
  /** Whom else to ask at once: the leader that a standby named, or one of the list. */
  next(asked: ReadonlySet<string>, leader?: string): Address | undefined
  answered(address: Address): void
  /** `isSilent`: it kept us waiting, so the others are asked before it. */
  failed(address: Address, how?: { isSilent: boolean }): void
}

/** A leader's address may mean nothing from where we are, and waiting in vain takes long. */
const SHUNNED_MS = 30_000

type Kind = Readonly<{ read: ReadAddress; example: string }>
const HTTPS: Kind = { read: readableAddress, example: 'https://HOST:PORT' }

/** Reads one address or several with commas between. Throws `TypeError`. */
export function createBrokerAddresses(
  urls: string,
  now: () => number,
  { read, example }: Kind = HTTPS,
): BrokerAddresses {
  const written = urls.split(',').map((url) => url.trim())
  const [head, ...tail] = written.filter((url) => url !== '').map(addressOf)
  if (!head) throw new TypeError('A client needs the address of a broker.')
  const listed = [head, ...tail]
  const shunned = new Map<string, number>()
  let preferred = head

  return {
    first: () => preferred,
    next(asked, leader) {
      const named = leader === undefined ? undefined : read(leader)
      if (named && !asked.has(named.origin) && !isShunned(named)) return named
      const others = listed.filter(({ origin }) => !asked.has(origin))
      // It may have been slow but once, and the only one that leads.
      return others.find((other) => !isShunned(other)) ?? others[0]
    },
    answered(address) {
      shunned.delete(address.origin)
      preferred = address
    },
    failed(address, { isSilent } = { isSilent: false }) {
      const place = listed.findIndex(({ origin }) => origin === address.origin)
      if (place < 0 || isSilent) shunned.set(address.origin, now() + SHUNNED_MS)
      if (preferred.origin !== address.origin) return
      const inTurn = [...listed.slice(place + 1), ...listed.slice(0, place + 1)]
      preferred = inTurn.find((one) => !isShunned(one)) ?? inTurn[0] ?? head
    },
  }

  function isShunned({ origin }: Address): boolean {
    const until = shunned.get(origin)
    if (until === undefined || until > now()) return until !== undefined
    shunned.delete(origin)
    return false
  }

  function addressOf(url: string): Address {
    const address = read(url)
    if (address) return address
    throw new TypeError(`${JSON.stringify(url)} is no broker address: use ${example}.`)
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
