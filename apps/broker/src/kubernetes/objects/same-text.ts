import { hash } from 'node:crypto'

/** Whether two values are equal, in any order of their keys. */
export function saysTheSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

/** Short enough to keep for every object, instead of the object. */
export function digestOf(value: unknown): string {
  return hash('sha1', canonical(value), 'base64url')
}

/** Names in order; undefined ones and empty ones left out, as the API server leaves them out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  )
}

function sorted(record: object): object {
  const given = Object.entries(record).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)))
}
