import { isIP } from 'node:net'
import { isData } from '../overview/data-routes.ts'
import { isLoopback } from './dashboard-address.ts'

/** The part of a request that says where it comes from. */
export type Approach = Readonly<{
  method: string
  /** The route that was found, not the path as written; undefined: none. */
  route: string | undefined
  host?: string | undefined
  origin?: string | undefined
  fetchSite?: string | undefined
  fetchMode?: string | undefined
}>

export type HostPolicy = Readonly<{
  boundHost?: string | undefined
  /** Further names the page is reached by, e.g. behind a proxy. */
  hostNames: readonly string[]
  /** Whether the page asks for a token: then a sign-in may be posted. */
  hasSignIn: boolean
}>

export type Refusal = Readonly<{ status: 403 | 405 | 421; detail: string }>

/**
 * Decides before anything else whether a request may be looked at. A page on another site can make
 * a browser on this machine send requests here: under a name of its own that resolves to us (DNS
 * rebinding, caught by Host), or plainly across sites (caught by Origin and Sec-Fetch-Site).
 */
export function refusalOf(approach: Approach, policy: HostPolicy): Refusal | undefined {
  const hostName = hostNameOf(approach.host)
  if (hostName === undefined || !isOurs(hostName, policy)) return strangeHost(hostName)
  if (!isMethodAllowed(approach, policy)) return READ_ONLY
  if (isForeignOrigin(approach) || isCrossSite(approach)) return CROSS_SITE
  return undefined
}

const READ_ONLY: Refusal = {
  status: 405,
  detail: 'The live page only shows: use the bourse command or the API to change something.',
}
const CROSS_SITE: Refusal = {
  status: 403,
  detail: 'Another site asked for this. Open the live page itself instead.',
}

function strangeHost(hostName: string | undefined): Refusal {
  const name = hostName === undefined ? 'a missing or malformed Host' : `the host ${hostName}`
  return {
    status: 421,
    detail:
      `The live page does not answer to ${name}: open it as localhost, by its IP address, ` +
      'or name the host with --dashboard-hosts.',
  }
}

/** The name in a Host header without its port, which port-forwarding may well change. */
function hostNameOf(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]{1,253}))(?::\d{1,5})?$/i.exec(host ?? '')
  return (match?.[1] ?? match?.[2])?.toLowerCase()
}

function isOurs(hostName: string, { boundHost, hostNames }: HostPolicy): boolean {
  if (isLoopback(hostName) || hostName === boundHost?.toLowerCase()) return true
  if (hostNames.some((name) => name.toLowerCase() === hostName)) return true
  // DNS rebinding needs a name: a request for an address is meant for this machine.
  return !isLoopback(boundHost) && isIP(hostName) !== 0
}

function isMethodAllowed({ method, route }: Approach, { hasSignIn }: HostPolicy): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  return hasSignIn && method === 'POST' && route === '/sign-in'
}

function isForeignOrigin({ origin, host }: Approach): boolean {
  if (origin === undefined) return false
  return origin !== `http://${host}` && origin !== `https://${host}`
}

/** Following a link to the page is fine; reading data from elsewhere is not. */
function isCrossSite({ fetchSite, fetchMode, route }: Approach): boolean {
  if (fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none') return false
  return !(fetchMode === 'navigate' && !isData(route))
}
