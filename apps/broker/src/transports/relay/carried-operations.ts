import { API_BASE, type Endpoint, endpoints } from '@bourse/contract'
import type { RelayedCall } from '@bourse/contract/relayed'

/** An operation of the REST API, as a carrier may ask for it. */
export type CarriedOperation = Readonly<{
  /** Written anew from the contract's own path: what is asked is exactly what was matched. */
  path: string
  search: string
  /** Whether it can be asked again and again for its news. */
  isWatchable: boolean
}>

type Route = Readonly<{
  /** A literal part of the path, or undefined where an id stands. */
  parts: readonly (string | undefined)[]
  isWatchable: boolean
}>

const PATH_LENGTH_MAX = 4_096
/** Only a base to read relative addresses by: nothing is asked there. */
const ORIGIN = 'http://broker.invalid'
const SLASH = '/'

/** A stream has no end, and so no answer that could be carried. */
const isStream = ({ replies }: Endpoint) =>
  Object.values(replies).some(({ mediaType }) => mediaType === 'text/event-stream')

const routes: ReadonlyMap<string, readonly Route[]> = Map.groupBy(
  endpoints.filter((endpoint) => !isStream(endpoint)).map(routeOf),
  ({ method }) => method,
)

/**
 * The operation that a call names, however it spells the path: dots, escapes and the like are
 * resolved first, as the server itself would. Undefined: no carrier takes this call.
 */
export function carriedOperation({ method, path }: RelayedCall): CarriedOperation | undefined {
  if (!path.startsWith(SLASH) || path.length > PATH_LENGTH_MAX) return undefined
  const url = URL.parse(`${API_BASE}${path}`, ORIGIN)
  if (url?.origin !== ORIGIN || !url.pathname.startsWith(`${API_BASE}${SLASH}`)) return undefined
  const parts = decoded(url.pathname.slice(API_BASE.length + SLASH.length))
  const route = parts && routes.get(method)?.find((one) => isAt(one, parts))
  if (!route) return undefined
  return {
    path: `${API_BASE}${SLASH}${parts.map(encodeURIComponent).join(SLASH)}`,
    search: url.search,
    isWatchable: route.isWatchable,
  }
}

function routeOf({ method, path, parameters = [] }: Endpoint) {
  return {
    method: method.toUpperCase(),
    parts: path
      .slice(SLASH.length)
      .split(SLASH)
      .map((part) => (part.startsWith('{') ? undefined : part)),
    isWatchable: method === 'get' && parameters.some(({ name }) => name === 'wait'),
  }
}

function isAt({ parts }: Route, given: readonly string[]): boolean {
  return (
    parts.length === given.length &&
    parts.every((part, at) => (part === undefined ? given[at] !== '' : part === given[at]))
  )
}

/** Undefined: a % in it begins no character. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split(SLASH).map(decodeURIComponent)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
