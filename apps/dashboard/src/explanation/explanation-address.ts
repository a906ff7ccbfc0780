const PREFIX = '#why/'

/** An explanation has an address of its own, so that it can be sent to somebody. */
export const explanationHref = (id: string) => `${PREFIX}${encodeURIComponent(id)}`

export function explainedId(hash: string): string | undefined {
  if (!hash.startsWith(PREFIX)) return undefined
  const id = hash.slice(PREFIX.length)
  return /^[\w.%~-]{1,200}$/.test(id) ? decodeURIComponent(id) : undefined
}
