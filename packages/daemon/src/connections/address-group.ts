/** An IPv6 host may use any address of its /64 network: four of the eight parts. */
const NETWORK_PARTS = 4

/** The unit by which connections are counted: an IPv4 address, or an IPv6 network (/64). */
export function addressGroup(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length)
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const parts = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':').length : 0
  // Fill in what `::` stands for.
  while (tail !== undefined && parts.length + after < 8) parts.push('0')
  return `${parts.slice(0, NETWORK_PARTS).join(':')}::/64`
}
