/** IPv6 hands out networks, not addresses: one host has as many of these as it likes. */
const NETWORK_PARTS = 4

/** Whom connections from an address are counted for: an IPv4 address, or an IPv6 network (/64). */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length)
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const parts = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length : 0
  // What the two colons stand for; without them all eight parts are there.
  while (tail !== undefined && parts.length + after < 8) parts.push('0')
  return `${parts.slice(0, NETWORK_PARTS).join(':')}::/64`
}
